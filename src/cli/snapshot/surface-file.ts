import { readFile, writeFile } from 'node:fs/promises';
import { usageError } from '../failure.js';
import { SNAPSHOT_FORMAT, type Surface } from './surface.js';

/** Members that come first, so that a reader sees what an entry is; the others follow by name. */
const FIRST = [
  'tenonSnapshot',
  'revision',
  'server',
  'name',
  'uri',
  'uriTemplate',
  'title',
  'description',
  'type',
];
/** Deeper than any schema that people write. */
const MAX_DEPTH = 200;

/** A snapshot as text. The same surface always gives the same text. */
export function formatSurface(surface: Surface): string {
  return `${JSON.stringify(order(surface, 0), null, 2)}\n`;
}

export async function writeSurface(path: string, surface: Surface): Promise<void> {
  await writeFile(path, formatSurface(surface)).catch(error => {
    throw usageError(`cannot write "${path}": ${error.message}`, 'Name a file in a folder that exists.');
  });
}

/** Reads a snapshot, and reports what is wrong with it. */
export async function readSurface(path: string): Promise<Surface> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ENOENT' ? 'there is no such file' : error.message;
    throw usageError(`cannot read "${path}": ${reason}`, TAKE);
  });
  const surface = parse(path, text);
  if (typeof surface?.tenonSnapshot !== 'number') throw usageError(`"${path}" is no snapshot of tenon`, TAKE);
  if (surface.tenonSnapshot > SNAPSHOT_FORMAT) {
    throw usageError(`"${path}" was written by a newer tenon`, 'Update tenon: npm install tenon@latest');
  }
  const lists = [surface.tools, surface.prompts, surface.resources, surface.templates];
  if (!lists.every(Array.isArray)) throw usageError(`"${path}" is incomplete: a list is missing`, TAKE);
  return surface as Surface;
}

const TAKE = 'Take one: tenon snapshot <target> -o snapshot.json';

function parse(path: string, text: string): Partial<Surface> | undefined {
  if (text.trim() === '') throw usageError(`"${path}" is empty`, TAKE);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw usageError(`"${path}" is not JSON, or is cut: ${(error as Error).message}`, TAKE);
  }
}

/** Sorts the members of objects, and `required`, whose order has no meaning. */
function order(value: unknown, depth: number, name?: string): unknown {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) {
    const list = value.map(one => order(one, depth + 1));
    return name === 'required' && list.every(one => typeof one === 'string') ? list.sort() : list;
  }
  const names = Object.keys(value).sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  return Object.fromEntries(names.map(one => [one, order(Reflect.get(value, one), depth + 1, one)]));
}

function rank(name: string): number {
  const place = FIRST.indexOf(name);
  return place === -1 ? FIRST.length : place;
}
