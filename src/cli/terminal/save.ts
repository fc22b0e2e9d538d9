import { mkdirSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, extname, join } from 'node:path';
import { usageError } from '../failure.js';

/**
 * Writes what a server sent into files: the one that the user names, or numbered ones in the folder that the user names.
 * Without either, into a new temporary folder. Existing files are not overwritten, except the one that is named.
 */
export class Saver {
  readonly #place: string | undefined;
  #folder: string | undefined;
  #count = 0;

  constructor(place: string | undefined) {
    this.#place = place;
    if (place !== undefined && isFolder(place)) this.#folder = place;
  }

  /** Whether the user named a place. */
  get isWanted(): boolean {
    return this.#place !== undefined;
  }

  /** Whether the files go into a folder, each with a name of its own. */
  get hasFolder(): boolean {
    return this.#folder !== undefined;
  }

  /** Writes a file and returns its path. The name of the file is made from `hint` and the type. */
  save(data: Uint8Array | string, hint: string, mimeType: string | undefined): string {
    const path = this.#pathFor(hint, mimeType);
    try {
      writeFileSync(path, data);
    } catch (error) {
      throw usageError(
        `cannot write ${path}: ${(error as Error).message}`,
        'Name another file or folder with --save.',
      );
    }
    return path;
  }

  #pathFor(hint: string, mimeType: string | undefined): string {
    this.#count += 1;
    const place = this.#place;
    if (place !== undefined && this.#folder === undefined) {
      mkdirSync(dirname(place), { recursive: true });
      if (this.#count === 1) return named(place, mimeType);
      const own = extname(place);
      return freePath(dirname(place), basename(place, own), extensionOf(mimeType) ?? own);
    }
    this.#folder ??= mkdtempSync(join(tmpdir(), 'tenon-'));
    const { name, extension } = safeName(hint, mimeType);
    return freePath(this.#folder, name, extension);
  }
}

/** The file that the user names, with the extension of its type if it has none and does not exist yet. */
function named(place: string, mimeType: string | undefined): string {
  const isComplete = extname(place) !== '' || statSync(place, { throwIfNoEntry: false }) !== undefined;
  return isComplete ? place : `${place}${extensionOf(mimeType) ?? ''}`;
}

/** The path of a file that does not exist yet, with a number if the name is taken. */
function freePath(folder: string, name: string, extension: string): string {
  for (let number = 1; ; number++) {
    const path = join(folder, `${name}${number === 1 ? '' : `-${number}`}${extension}`);
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return path;
  }
}

/** A folder is one that exists, or that is written with a slash at its end. */
function isFolder(place: string): boolean {
  if (/[/\\]$/.test(place)) mkdirSync(place, { recursive: true });
  return statSync(place, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** A name of a file from a name that a server chose: no folders, no leading dot. */
function safeName(hint: string, mimeType: string | undefined): { name: string; extension: string } {
  const last = hint.split(/[/\\]/).filter(Boolean).pop() ?? '';
  const clean = last
    .replace(/[^\w.-]+/g, '-')
    .replace(/^[.-]+/, '')
    .slice(0, 80);
  const own = extname(clean);
  const right = extensionOf(mimeType) ?? '.bin';
  // Texts have many extensions that are right, such as those of source code.
  const isFree = right === '.bin' || !/^(image|audio)\//.test(mimeType ?? '');
  const isOwn = own !== '' && (isFree || own.toLowerCase().replace('.jpeg', '.jpg') === right);
  return isOwn
    ? { name: basename(clean, own) || 'content', extension: own }
    : { name: clean || 'content', extension: right };
}

function extensionOf(mimeType: string | undefined): string | undefined {
  return EXTENSIONS[mimeType?.split(';')[0]?.trim().toLowerCase() ?? ''];
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/png': '.png',
  'image/jpeg': '.jpg',
  'image/gif': '.gif',
  'image/webp': '.webp',
  'image/svg+xml': '.svg',
  'audio/wav': '.wav',
  'audio/x-wav': '.wav',
  'audio/mpeg': '.mp3',
  'audio/ogg': '.ogg',
  'text/plain': '.txt',
  'text/markdown': '.md',
  'text/html': '.html',
  'text/csv': '.csv',
  'application/json': '.json',
  'application/pdf': '.pdf',
};
