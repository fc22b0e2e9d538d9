import { decodeBase64Url } from '../../base/base64url.js';
import { canonicalText } from '../../base/canonical.js';
import type { ResourceContents } from '../../protocol/content.js';
import { digestOf } from '../../skills/digest.js';
import { readEntry, sizeProblem } from '../../skills/entry.js';
import { readSkillText, type SkillText } from '../../skills/frontmatter.js';
import { pathInSkill, skillRoot, uriOfPath } from '../../skills/paths.js';
import { SKILL_FILE, type Skill, type SkillResource } from '../../skills/skill.js';
import type { Client } from '../client.js';
import type { SkillOptions } from './list.js';
import { SkillRefused } from './refused.js';

/** The options of `openSkill`. */
export interface OpenSkillOptions extends SkillOptions {
  /** Also opens skills without digests, whose files can be anything at any time. They are refused by default. */
  allowDynamic?: boolean | undefined;
}

/** A file of a skill, as it was read and checked. */
export interface SkillFile {
  uri: string;
  /** In the folder of the skill, with slashes. */
  path: string;
  bytes: Uint8Array;
  /** The MIME type that the server gave. */
  mimeType: string | undefined;
}

/**
 * Reads the `SKILL.md` of a skill, and nothing else; `read` of the result reads other files when they are needed. Every
 * file is compared with the entry: size, digest and frontmatter. Throws `SkillRefused` if something does not fit.
 *
 * What a skill says is untrusted input: tell the model which server it comes from, and let the user allow what it runs.
 *
 * @example
 * const { skills } = await listSkills(client);
 * const skill = await openSkill(client, skills[0]);
 * console.log(skill.instructions);
 * const { bytes } = await skill.read('references/FORMS.md');
 *
 * @see https://github.com/modelcontextprotocol/ext-skills/blob/main/specification/stable/skills.mdx
 */
export async function openSkill(
  client: Client,
  skill: Skill,
  options: OpenSkillOptions = {},
): Promise<OpenSkill> {
  const { limits, allowDynamic = false } = options;
  const read = readEntry(skill, limits);
  if ('problem' in read) throw new SkillRefused(read.problem);
  if (skill.resources === 'dynamic' && !allowDynamic)
    throw new SkillRefused(`the skill ${skill.uri} is generated, so its files cannot be checked`);
  const reader = new SkillReader(client, read.skill, options);
  const { bytes } = await reader.read(SKILL_FILE);
  return new OpenSkill(read.skill, reader, checkText(skill, new TextDecoder().decode(bytes)));
}

/**
 * A skill whose `SKILL.md` was read and checked.
 *
 * @example
 * const opened = await openSkill(client, skill);
 * console.log(opened.instructions);
 */
export class OpenSkill {
  /** The entry that every file is compared with. */
  readonly entry: Skill;
  /** The text of `SKILL.md` after the frontmatter. */
  readonly instructions: string;
  readonly #reader: SkillReader;

  /** Use `openSkill`. */
  constructor(entry: Skill, reader: SkillReader, { body }: SkillText) {
    this.entry = entry;
    this.instructions = body;
    this.#reader = reader;
  }

  /** The paths of all files; empty if the skill is generated. */
  get paths(): string[] {
    return this.#reader.paths;
  }

  /**
   * Reads a file, by its path from the folder of the skill. Throws `SkillRefused` for a file that the entry does not list
   * or that is not as the entry says.
   */
  read(path: string): Promise<SkillFile> {
    return this.#reader.read(path);
  }
}

/** Reads the files of one skill. */
export class SkillReader {
  readonly #client: Client;
  readonly #skill: Skill;
  readonly #options: OpenSkillOptions;
  readonly #root: string;
  readonly #files = new Map<string, SkillResource>();
  /** Of a generated skill, whose entry has no sizes. */
  readonly #sizes = new Map<string, { size: number }>();

  constructor(client: Client, skill: Skill, options: OpenSkillOptions) {
    this.#client = client;
    this.#skill = skill;
    this.#options = options;
    this.#root = skillRoot(skill.uri) as string;
    for (const file of skill.resources === 'dynamic' ? [] : skill.resources)
      this.#files.set(pathInSkill(this.#root, file.uri) as string, file);
  }

  get paths(): string[] {
    return [...this.#files.keys()];
  }

  async read(reference: string): Promise<SkillFile> {
    const path = resolvePath(reference);
    if (path === undefined)
      throw new SkillRefused(`"${reference}" leads out of the folder of the skill ${this.#skill.uri}`);
    const listed = this.#files.get(path);
    if (!listed && this.#skill.resources !== 'dynamic')
      throw new SkillRefused(`the skill ${this.#skill.uri} has no file "${path}"`);
    const uri = listed?.uri ?? uriOfPath(this.#root, path);
    const { limits: _limits, allowDynamic: _allowDynamic, ...call } = this.#options;
    // What is cached may be older than the entry, and would fit no more.
    const { contents } = await this.#client.readResource(uri, { ...call, cacheMode: 'bypass' });
    const { bytes, mimeType } = readContents(uri, contents);
    if (listed) await checkFile(listed, bytes);
    else this.#count(path, bytes.length);
    return { uri, path, bytes, mimeType };
  }

  /** Applies the limits to what was read of a generated skill. */
  #count(path: string, size: number): void {
    this.#sizes.set(path, { size });
    const problem = sizeProblem([...this.#sizes.values()], this.#options.limits);
    if (problem) throw new SkillRefused(`the skill ${this.#skill.uri} ${problem}`);
  }
}

async function checkFile({ uri, digest, size }: SkillResource, bytes: Uint8Array): Promise<void> {
  if (bytes.length !== size)
    throw new SkillRefused(`${uri} has ${bytes.length} bytes, and its entry says ${size}`);
  const found = await digestOf(bytes);
  if (found !== digest)
    throw new SkillRefused(`${uri} has the digest ${found}, and its entry says ${digest}`);
}

/** A user approves the entry, so the frontmatter that the model gets must be the same. */
function checkText({ uri, frontmatter }: Skill, text: string): SkillText {
  const read = readSkillText(text);
  if ('problem' in read) throw new SkillRefused(`${uri}: ${read.problem}`);
  const names = new Set([...Object.keys(read.frontmatter), ...Object.keys(frontmatter)]);
  for (const name of names) {
    if (canonicalText(read.frontmatter[name]) !== canonicalText(frontmatter[name]))
      throw new SkillRefused(`${uri} has another "${name}" in its frontmatter than its entry`);
  }
  return read;
}

function readContents(
  uri: string,
  contents: readonly ResourceContents[],
): { bytes: Uint8Array; mimeType: string | undefined } {
  const [content, ...more] = contents.filter(one => one.uri === uri);
  if (!content || more.length > 0)
    throw new SkillRefused(
      `the server answered with ${content ? 'several contents' : 'no content'} for ${uri}`,
    );
  const bytes = 'text' in content ? new TextEncoder().encode(content.text) : decodeBase64(content.blob);
  if (!bytes) throw new SkillRefused(`the server answered with malformed base64 for ${uri}`);
  return { bytes, mimeType: content.mimeType };
}

function decodeBase64(text: string): Uint8Array | undefined {
  return decodeBase64Url(text.replace(/=+$/, '').replaceAll('+', '-').replaceAll('/', '_'));
}

/** Resolves `.` and `..` as a file system does; undefined if the path leads out of the folder. */
function resolvePath(reference: string): string | undefined {
  const names: string[] = [];
  for (const name of reference.split('/')) {
    if (name === '' || name === '.') continue;
    if (name !== '..') names.push(name);
    else if (names.pop() === undefined) return undefined;
  }
  return reference.startsWith('/') || names.length === 0 ? undefined : names.join('/');
}
