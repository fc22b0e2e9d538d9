import { existsSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UsageError } from '../../../base/errors.js';
import type { Resource } from '../../../protocol/resources.js';
import type { SkillFolderReport } from '../../../server/skills/node-only.js';
import type { DirectoryPage, SkillPage, SkillProvider } from '../../../server/skills/provider.js';
import type { SkillProblem, SkillsOptions } from '../../../server/skills/skills.js';
import { digestOf } from '../../../skills/digest.js';
import { SKILL_FILE, type Skill } from '../../../skills/skill.js';
import { listDirectory } from './directories.js';
import { FolderWatch } from './folder-watch.js';
import { pageAfter } from './page.js';
import { readInside } from './read-inside.js';
import { type Scan, Scanner } from './scan.js';

/** How old what is known of the folder may be when a request comes, if nothing was noticed since. */
const MAX_AGE_MS = 1000;
/** A large folder is looked through less often: for a twentieth of the time. */
const MAX_AGE_PER_SCAN = 20;
const PAGE_SIZE = 100;

/**
 * The skills in a folder: every folder in it with a `SKILL.md`, at any depth. It can be a skill itself, too. Only files
 * that were found by walking through the folder are ever read, so no URI leads out of it.
 */
export class SkillFolder implements SkillProvider {
  readonly #base: string;
  readonly #scanner: Scanner;
  readonly #pageSize: number;
  readonly #report: (problem: SkillProblem) => void;
  readonly #listeners = new Set<(uris: readonly string[]) => void>();
  readonly #told = new Set<string>();
  #watch: FolderWatch | undefined;
  #latest: Scan | undefined;
  #isOldAt = 0;
  #hasChanged = false;
  #scanning: Promise<Scan> | undefined;

  constructor(folder: string, { pageSize = PAGE_SIZE, onProblem = printProblem }: SkillsOptions = {}) {
    if (!Number.isInteger(pageSize) || pageSize < 1)
      throw new UsageError(`pageSize must be a whole number, 1 or more, but is ${pageSize}`);
    const { base, start } = locate(folder);
    this.#base = base;
    this.#scanner = new Scanner(base, start);
    this.#pageSize = pageSize;
    this.#report = onProblem;
  }

  async list(cursor: string | undefined): Promise<SkillPage> {
    const { skills } = await this.#current();
    const { entries, nextCursor } = pageAfter(cursor, [...skills], this.#pageSize);
    return { skills: entries, nextCursor };
  }

  async get(uri: string): Promise<Skill | undefined> {
    return (await this.#current()).skills.get(uri);
  }

  /** The content that the current entry describes: a file that changed since is looked at again first. */
  async read(uri: string): Promise<Uint8Array | undefined> {
    const file = (await this.#current()).files.get(uri);
    if (!file) return undefined;
    const bytes = await readInside(this.#base, file.path).catch(() => undefined);
    if (bytes && (await digestOf(bytes)) === file.digest) return bytes;
    const now = (await this.#rescan()).files.get(uri);
    if (!now) return undefined;
    const again = await readInside(this.#base, now.path);
    if ((await digestOf(again)) !== now.digest) throw new Error(`${uri} changes while it is read`);
    return again;
  }

  async readDirectory(uri: string, cursor: string | undefined): Promise<DirectoryPage | undefined> {
    const children = listDirectory(uri, await this.#current());
    if (!children) return undefined;
    const byUri = children.map((child): [string, Resource] => [child.uri, child]);
    const { entries, nextCursor } = pageAfter(cursor, byUri, this.#pageSize);
    return { resources: entries, nextCursor };
  }

  watch(changed: (uris: readonly string[]) => void): void {
    this.#listeners.add(changed);
    const expire = () => {
      this.#hasChanged = true;
    };
    this.#watch ??= new FolderWatch(this.#base, expire, () => this.#look());
    this.#look();
  }

  /** Looks for changes without a request. A folder that cannot be read is told to the next request. */
  #look(): void {
    this.#rescan().catch(() => {});
  }

  async #current(): Promise<Scan> {
    const isFresh = this.#latest && !this.#hasChanged && performance.now() < this.#isOldAt;
    return isFresh ? (this.#latest as Scan) : this.#rescan();
  }

  /** Requests that come while a scan is under way share it. */
  #rescan(): Promise<Scan> {
    this.#scanning ??= this.#scan().finally(() => {
      this.#scanning = undefined;
    });
    return this.#scanning;
  }

  async #scan(): Promise<Scan> {
    const begun = performance.now();
    // A change during the scan makes it old at once.
    this.#hasChanged = false;
    const scan = await this.#scanner.scan().catch(error => {
      this.#hasChanged = true;
      throw error;
    });
    const ended = performance.now();
    this.#isOldAt = ended + Math.max(MAX_AGE_MS, (ended - begun) * MAX_AGE_PER_SCAN);
    const before = this.#latest;
    this.#latest = scan;
    this.#watch?.update(scan.folders);
    this.#tellProblems(scan.problems);
    const changed = before ? changesBetween(before, scan) : [];
    if (changed.length > 0) for (const listener of this.#listeners) listener(changed);
    return scan;
  }

  /** Each problem once, and again if it comes back. */
  #tellProblems(problems: readonly SkillProblem[]): void {
    const texts = problems.map(({ path, problem }) => `${path}: ${problem}`);
    problems.forEach((problem, index) => {
      if (!this.#told.has(texts[index] as string)) this.#report(problem);
    });
    this.#told.clear();
    for (const text of texts) this.#told.add(text);
  }
}

/** Looks at a folder of skills as `skills` does, without serving it. */
export async function checkSkillFolder(folder: string): Promise<SkillFolderReport> {
  const { base, start } = locate(folder);
  const { skills, problems } = await new Scanner(base, start).scan();
  return { skills: [...skills.values()], problems: [...problems] };
}

/** The path of a skill begins with its name, so for a folder that is a skill it begins in the folder above. */
function locate(folder: string): { base: string; start: string } {
  const isFolder = statSync(folder, { throwIfNoEntry: false })?.isDirectory();
  if (!isFolder) throw new UsageError(`there is no folder "${folder}"; skills needs a folder with skills`);
  const place = realpathSync(folder);
  return existsSync(join(place, SKILL_FILE))
    ? { base: dirname(place), start: basename(place) }
    : { base: place, start: '' };
}

function changesBetween(before: Scan, now: Scan): string[] {
  const uris = new Set([...before.files.keys(), ...now.files.keys()]);
  return [...uris].filter(uri => before.files.get(uri)?.digest !== now.files.get(uri)?.digest);
}

function printProblem({ path, problem }: SkillProblem): void {
  console.warn(`the skill "${path}" is not served: ${problem}`);
}
