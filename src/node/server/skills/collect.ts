import type { BigIntStats, Dirent } from 'node:fs';
import { lstat, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../../base/thrown.js';
import { MAX_SKILL_FILES } from '../../../skills/limits.js';
import { isFileName } from '../../../skills/paths.js';
import { SKILL_FILE } from '../../../skills/skill.js';

/** How deep the folders in a skill, or above it, may be. */
const MAX_DEPTH = 16;
/** How many entries a folder that is not a skill may have, so that a wrong path is noticed. */
const MAX_FOLDER_ENTRIES = 10_000;

/** The files and folders of a skill, by their path in the folder that is served. */
export interface Collected {
  readonly files: ReadonlyMap<string, BigIntStats>;
  readonly folders: readonly string[];
}

/** Why a skill cannot be served, and what to change. */
export class SkillFault extends Error {}

/** The folders that have a `SKILL.md`, without those in other skills, and all folders on the way. */
export async function findSkills(
  base: string,
  path: string,
  found: { skills: string[]; folders: string[]; faults: [path: string, problem: string][] },
  depth = 0,
): Promise<void> {
  found.folders.push(path);
  try {
    const entries = await readFolder(base, path, MAX_FOLDER_ENTRIES, 'entries');
    if (entries.some(({ name }) => name === SKILL_FILE)) {
      found.skills.push(path);
      return;
    }
    for (const entry of entries) {
      const inner = joinPath(path, entry.name);
      if (entry.isSymbolicLink()) found.faults.push([inner, LINK]);
      if (!entry.isDirectory() || entry.name === 'node_modules') continue;
      const problem = nameProblem(entry) ?? (depth === MAX_DEPTH ? TOO_DEEP : undefined);
      if (problem) found.faults.push([inner, problem]);
      else await findSkills(base, inner, found, depth + 1);
    }
  } catch (error) {
    // Without the folder that is served, there is nothing to serve.
    if (depth === 0 && !(error instanceof SkillFault)) throw error;
    found.faults.push([path, messageOf(error)]);
  }
}

const TOO_DEEP = `folders are nested more than ${MAX_DEPTH} deep`;
const LINK = 'it is a symbolic link, which is never followed; put the files themselves there';

/** All files of a skill. Throws a `SkillFault` at the first thing that cannot be served. */
export async function collectSkill(base: string, path: string): Promise<Collected> {
  const files = new Map<string, BigIntStats>();
  const folders = [path];
  const rest = [path];
  for (let folder = rest.pop(); folder !== undefined; folder = rest.pop()) {
    for (const entry of await readFolder(base, folder, MAX_SKILL_FILES * 2, 'files and folders')) {
      const inner = joinPath(folder, entry.name);
      const shown = inner.slice(path.length + 1);
      const problem = nameProblem(entry);
      if (problem) throw new SkillFault(problem);
      if (entry.isSymbolicLink()) throw new SkillFault(`"${shown}" is not served: ${LINK}`);
      if (entry.isDirectory()) {
        if (shown.split('/').length > MAX_DEPTH) throw new SkillFault(TOO_DEEP);
        folders.push(inner);
        rest.push(inner);
      } else {
        files.set(inner, await statFile(base, inner, shown));
        if (files.size > MAX_SKILL_FILES)
          throw new SkillFault(`it has more than ${MAX_SKILL_FILES} files; split it, or remove some`);
      }
    }
  }
  return { files: new Map([...files].sort(([one], [other]) => (one < other ? -1 : 1))), folders };
}

async function statFile(base: string, path: string, shown: string): Promise<BigIntStats> {
  const stats = await lstat(join(base, path), { bigint: true });
  if (!stats.isFile()) throw new SkillFault(`"${shown}" is not a file; remove it`);
  return stats;
}

/** Names that begin with a dot are left out: they are of tools, such as `.git`, or secret, such as `.env`. */
async function readFolder(base: string, path: string, max: number, what: string): Promise<Dirent[]> {
  const entries: Dirent[] = [];
  for await (const entry of await opendir(join(base, path))) {
    if (entry.name.startsWith('.')) continue;
    entries.push(entry);
    if (entries.length > max)
      throw new SkillFault(`a folder has more than ${max} ${what}; split it, or remove some`);
  }
  return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
}

function nameProblem({ name }: Dirent): string | undefined {
  return isFileName(name)
    ? undefined
    : `${JSON.stringify(name)} is not a name that every system allows; rename it`;
}

function joinPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}
