import type { BigIntStats } from 'node:fs';
import { basename, dirname } from 'node:path';
import { messageOf } from '../../../base/thrown.js';
import type { SkillProblem } from '../../../server/skills/skills.js';
import { digestOf } from '../../../skills/digest.js';
import { sizeProblem } from '../../../skills/entry.js';
import { readSkillText } from '../../../skills/frontmatter.js';
import { uriOfPath } from '../../../skills/paths.js';
import { SKILL_FILE, type Skill, type SkillFrontmatter, type SkillResource } from '../../../skills/skill.js';
import { type Collected, collectSkill, findSkills, SkillFault } from './collect.js';
import { readInside } from './read-inside.js';

/** A file that is served. */
export interface ServedFile extends SkillResource {
  /** Its path in the folder. */
  readonly path: string;
}

/** A folder of skills at one moment. */
export interface Scan {
  /** By URI, sorted. */
  readonly skills: ReadonlyMap<string, Skill>;
  readonly files: ReadonlyMap<string, ServedFile>;
  /** The paths of all folders of skills that are served. */
  readonly skillFolders: ReadonlySet<string>;
  /** The paths of all folders that were looked at. */
  readonly folders: ReadonlySet<string>;
  readonly problems: readonly SkillProblem[];
}

/** What was read of a file; `stamp` tells that the file is still the same. */
interface KnownFile {
  readonly stamp: string;
  readonly digest: string;
  readonly size: number;
  /** Of a `SKILL.md`. */
  readonly text?: { frontmatter: SkillFrontmatter } | { problem: string } | undefined;
}

/** By path. */
type KnownFiles = Map<string, KnownFile>;

/** How long after a change what was read is not kept: the next change may leave the same times behind. */
const RACY_MS = 1000;

/** Reads folders of skills, and keeps what was read of files until they change. */
export class Scanner {
  readonly #base: string;
  readonly #start: string;
  #known: KnownFiles = new Map();

  /** `start` is the path in `base` where skills are looked for. */
  constructor(base: string, start: string) {
    this.#base = base;
    this.#start = start;
  }

  async scan(): Promise<Scan> {
    const found = { skills: [] as string[], folders: [] as string[], faults: [] as [string, string][] };
    await findSkills(this.#base, this.#start, found);
    const problems = found.faults.map(([path, problem]) => ({ path, problem }));
    const scan = {
      skills: new Map<string, Skill>(),
      files: new Map<string, ServedFile>(),
      skillFolders: new Set<string>(),
      folders: new Set(found.folders),
      problems,
    };
    const known: KnownFiles = new Map();
    for (const path of found.skills) await this.#addTree(path, scan, known);
    this.#known = known;
    const sorted = [...scan.skills].sort(([one], [other]) => (one < other ? -1 : 1));
    return { ...scan, skills: new Map(sorted) };
  }

  /** Adds a skill and those inside of it, which are skills of their own. */
  async #addTree(path: string, scan: Writable, known: KnownFiles): Promise<void> {
    const collected = await this.#attempt(path, scan, () => collectSkill(this.#base, path));
    if (!collected) return;
    for (const folder of collected.folders) scan.folders.add(folder);
    const roots = [...collected.files.keys()].filter(file => basename(file) === SKILL_FILE).map(dirname);
    for (const root of roots) {
      const own = within(collected, root);
      await this.#attempt(root, scan, () => this.#add(root, own, scan, known));
    }
  }

  /** Whatever is wrong with one skill, the others are served. */
  async #attempt<T>(path: string, { problems }: Writable, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      problems.push({ path, problem: messageOf(error) });
      return undefined;
    }
  }

  async #add(path: string, { files, folders }: Collected, scan: Writable, known: KnownFiles): Promise<void> {
    const sizes = [...files.values()].map(({ size }) => ({ size: Number(size) }));
    const tooLarge = sizeProblem(sizes);
    if (tooLarge) throw new SkillFault(`it ${tooLarge}; split it, or remove some`);
    const main = `${path}/${SKILL_FILE}`;
    const { text } = await this.#look(main, files.get(main) as BigIntStats, known);
    if (!text || 'problem' in text) throw new SkillFault(text?.problem);
    const { frontmatter } = text;
    if (frontmatter.name !== basename(path))
      throw new SkillFault(`it has the name "${frontmatter.name}", which is not that of its folder`);
    const served: ServedFile[] = [];
    for (const [file, stats] of files) {
      const { digest, size } = await this.#look(file, stats, known);
      served.push({ uri: uriOfPath('skill:/', file), path: file, digest, size });
    }
    for (const file of served) scan.files.set(file.uri, file);
    for (const folder of folders) scan.skillFolders.add(folder);
    const uri = uriOfPath('skill:/', main);
    scan.skills.set(uri, {
      uri,
      frontmatter,
      resources: served.map(({ uri, digest, size }) => ({ uri, digest, size })),
    });
  }

  /** Reads a file, unless it is the one that was read before. */
  async #look(path: string, stats: BigIntStats, known: KnownFiles): Promise<KnownFile> {
    const stamp = `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`;
    const before = known.get(path) ?? this.#known.get(path);
    if (before?.stamp === stamp) {
      known.set(path, before);
      return before;
    }
    const bytes = await readInside(this.#base, path);
    const file = {
      stamp,
      digest: await digestOf(bytes),
      size: bytes.length,
      ...(basename(path) === SKILL_FILE && { text: readText(bytes) }),
    };
    if (Date.now() - Number(stats.ctimeMs) > RACY_MS) known.set(path, file);
    return file;
  }
}

/** The body is left out: it is not kept. */
function readText(bytes: Uint8Array): KnownFile['text'] {
  const text = readSkillText(new TextDecoder().decode(bytes));
  return 'problem' in text ? text : { frontmatter: text.frontmatter };
}

interface Writable {
  readonly skills: Map<string, Skill>;
  readonly files: Map<string, ServedFile>;
  readonly skillFolders: Set<string>;
  readonly folders: Set<string>;
  readonly problems: SkillProblem[];
}

function within({ files, folders }: Collected, root: string): Collected {
  const isInside = (path: string) => path === root || path.startsWith(`${root}/`);
  return { files: new Map([...files].filter(([path]) => isInside(path))), folders: folders.filter(isInside) };
}
