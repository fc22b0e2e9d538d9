import type { BigIntStats } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { SkillProblem } from '../../../server/skills/skills.js';
import { digestOf } from '../../../skills/digest.js';
import { sizeProblem } from '../../../skills/entry.js';
import { readSkillText } from '../../../skills/frontmatter.js';
import { uriOfPath } from '../../../skills/paths.js';
import { SKILL_FILE, type Skill, type SkillResource } from '../../../skills/skill.js';
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

/** The digests of files by path, with what tells that a file is still the same. */
type Digests = Map<string, { stamp: string; digest: string }>;

/** How long after a change a digest is not kept: the next change may leave the same times behind. */
const RACY_MS = 1000;

/** Reads folders of skills, and keeps the digests of files that did not change. */
export class Scanner {
  readonly #base: string;
  readonly #start: string;
  #known: Digests = new Map();

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
    const digests: Digests = new Map();
    for (const path of found.skills) await this.#addTree(path, scan, digests);
    this.#known = digests;
    const sorted = [...scan.skills].sort(([one], [other]) => (one < other ? -1 : 1));
    return { ...scan, skills: new Map(sorted) };
  }

  /** Adds a skill and those inside of it, which are skills of their own. */
  async #addTree(path: string, scan: Writable, digests: Digests): Promise<void> {
    const collected = await this.#attempt(path, scan, () => collectSkill(this.#base, path));
    if (!collected) return;
    for (const folder of collected.folders) scan.folders.add(folder);
    const roots = [...collected.files.keys()].filter(file => basename(file) === SKILL_FILE).map(dirname);
    for (const root of roots) {
      const own = within(collected, root);
      await this.#attempt(root, scan, () => this.#add(root, own, scan, digests));
    }
  }

  async #attempt<T>(path: string, { problems }: Writable, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (!(error instanceof SkillFault) && code === undefined) throw error;
      problems.push({ path, problem: (error as Error).message });
      return undefined;
    }
  }

  async #add(path: string, { files, folders }: Collected, scan: Writable, digests: Digests): Promise<void> {
    const sizes = [...files.values()].map(({ size }) => ({ size: Number(size) }));
    const tooLarge = sizeProblem(sizes);
    if (tooLarge) throw new SkillFault(`it ${tooLarge}; split it, or remove some`);
    const main = await readInside(this.#base, `${path}/${SKILL_FILE}`);
    const text = readSkillText(new TextDecoder().decode(main));
    if ('problem' in text) throw new SkillFault(text.problem);
    const { frontmatter } = text;
    if (frontmatter.name !== basename(path))
      throw new SkillFault(`it has the name "${frontmatter.name}", which is not that of its folder`);
    const served: ServedFile[] = [];
    for (const [file, stats] of files) served.push(await this.#describe(file, stats, digests));
    const uri = uriOfPath('skill:/', `${path}/${SKILL_FILE}`);
    for (const file of served) scan.files.set(file.uri, file);
    for (const folder of folders) scan.skillFolders.add(folder);
    scan.skills.set(uri, {
      uri,
      frontmatter,
      resources: served.map(({ uri, digest, size }) => ({ uri, digest, size })),
    });
  }

  async #describe(path: string, stats: BigIntStats, digests: Digests): Promise<ServedFile> {
    const uri = uriOfPath('skill:/', path);
    const stamp = `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`;
    const known = digests.get(path) ?? this.#known.get(path);
    if (known?.stamp === stamp) {
      digests.set(path, known);
      return { uri, path, digest: known.digest, size: Number(stats.size) };
    }
    const bytes = await readInside(this.#base, path);
    const digest = await digestOf(bytes);
    if (Date.now() - Number(stats.ctimeMs) > RACY_MS) digests.set(path, { stamp, digest });
    return { uri, path, digest, size: bytes.length };
  }
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
