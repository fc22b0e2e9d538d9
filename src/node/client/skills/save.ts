import { lstat, mkdir, mkdtemp, open, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UsageError } from '../../../base/errors.js';
import type { Client } from '../../../client/client.js';
import type { SaveSkillOptions } from '../../../client/skills/node-only.js';
import { openSkill } from '../../../client/skills/open.js';
import { SkillRefused } from '../../../client/skills/refused.js';
import type { Skill } from '../../../skills/skill.js';
import { namesOfPlace, pathsProblem } from './place.js';

/** For the user of the host alone; nothing can be executed. */
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;
/** How often others may put the same skill in its place first. */
const ATTEMPTS = 100;
/** What systems say when something is in the place already. It may be gone a moment later. */
const TAKEN = new Set<unknown>(['ENOTEMPTY', 'EEXIST', 'ENOTDIR', 'EPERM']);

/** Reads all files of a skill, checks them, and writes them into a folder of their own. */
export async function saveSkill(client: Client, skill: Skill, options: SaveSkillOptions): Promise<string> {
  const { folder, server, replace = false, ...reading } = options;
  if (typeof folder !== 'string' || folder === '') throw new UsageError('saveSkill needs a folder');
  if (typeof server !== 'string' || server === '')
    throw new UsageError('saveSkill needs your name for the server, which becomes part of the path');
  if (skill.resources === 'dynamic')
    throw new SkillRefused(`the skill ${skill.uri} is generated, so there is no list of its files to save`);
  const opened = await openSkill(client, skill, reading);
  const problem = pathsProblem(opened.paths);
  if (problem) throw new SkillRefused(`the skill ${skill.uri} ${problem}`);
  await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
  const base = await realpath(folder);
  const names = await namesOfPlace(server, skill);
  const place = join(base, ...names);
  if (!replace && (await exists(place))) throw isSaved(place);
  const draft = await mkdtemp(join(base, '.saving-'));
  try {
    for (const path of opened.paths) await write(join(draft, 'new', path), (await opened.read(path)).bytes);
    await enter(base, names.slice(0, -1));
    await put(draft, place, replace);
    return place;
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Moves the new folder to its place. Others may save the same skill at the same time: then one of them comes last. */
async function put(draft: string, place: string, replace: boolean): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await rename(join(draft, 'new'), place);
    } catch (error) {
      if (attempt > ATTEMPTS || !TAKEN.has((error as NodeJS.ErrnoException).code)) throw error;
      if (!replace) throw isSaved(place);
      await rename(place, join(draft, `old-${attempt}`)).catch(gone => {
        if (gone.code !== 'ENOENT') throw gone;
      });
    }
  }
}

function isSaved(place: string): UsageError {
  return new UsageError(`the skill is saved already, at ${place}; pass replace: true to replace it`);
}

/** Creates a file that is not there, and the folders above it. */
async function write(place: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(place), { recursive: true, mode: FOLDER_MODE });
  const file = await open(place, 'wx', FILE_MODE);
  try {
    await file.writeFile(bytes);
  } finally {
    await file.close();
  }
}

/** Creates folders one below the other. A link in their place would lead somewhere else, so it is refused. */
async function enter(base: string, names: readonly string[]): Promise<void> {
  let place = base;
  for (const name of names) {
    place = join(place, name);
    await mkdir(place, { mode: FOLDER_MODE }).catch(error => {
      if (error.code !== 'EEXIST') throw error;
    });
    if (!(await lstat(place)).isDirectory())
      throw new UsageError(`${place} is not a folder; remove it, so that skills can be saved there`);
  }
}

async function exists(place: string): Promise<boolean> {
  return lstat(place).then(
    () => true,
    () => false,
  );
}
