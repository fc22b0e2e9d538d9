import { randomUUID } from 'node:crypto';
import { constants, type FileHandle, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { UsageError } from '../../../base/errors.js';
import { AccessError } from '../../../client/auth/errors.js';
import type { CredentialStore, StoredCredentials } from '../../../client/auth/store.js';
import { isUtf8 } from '../../utf8.js';
import { rewriteFile } from './rewrite-file.js';

const FORMAT = 1;
const FOR_OTHERS = 0o077;

/**
 * Keeps credentials in a file that several processes may share. Only its owner may read it: the permissions are set
 * when it is created, and again if they are wider. A file that cannot be read is an error, and is left unchanged.
 *
 * @example
 * const store = fileStore(join(homedir(), '.config', 'bistro', 'credentials.json'));
 */
export function fileStore(path: string): CredentialStore {
  if (typeof path !== 'string') throw new UsageError('fileStore needs the path of a file');
  const file = resolve(path);
  let last: Promise<unknown> = Promise.resolve();
  return {
    async get(key) {
      return (await readEntries(file)).get(key);
    },
    replace(key, value, expected) {
      // In turn, so that the calls of one process do not wait for its own lock.
      const turn = last.then(() => replaceEntry(file, key, value, expected));
      last = turn.catch(() => {});
      return turn;
    },
  };
}

async function replaceEntry(
  file: string,
  key: string,
  value: string | undefined,
  expected: string | undefined,
): Promise<boolean> {
  try {
    return await rewriteFile(file, async () => {
      const entries = await readEntries(file);
      if (entries.get(key)?.version !== expected) return undefined;
      if (value === undefined) entries.delete(key);
      else entries.set(key, { value, version: randomUUID() });
      return serialize(entries);
    });
  } catch (cause) {
    if (cause instanceof AccessError) throw cause;
    throw new AccessError('store', `cannot write the credentials to ${file}: ${explain(cause)}`, { cause });
  }
}

/** Reads the file. It is always replaced as a whole, so reading needs no lock. */
async function readEntries(file: string): Promise<Map<string, StoredCredentials>> {
  let bytes: Buffer | undefined;
  try {
    bytes = await readPrivate(file);
  } catch (cause) {
    throw new AccessError('store', `cannot read the credentials in ${file}: ${explain(cause)}`, { cause });
  }
  if (!bytes) return new Map();
  const entries = parse(bytes);
  if (entries) return entries;
  // Without a cause: the parser's error would quote the content of the file.
  const remedy = 'repair it, or move it away and sign in again';
  throw new AccessError('store', `${file} does not hold credentials that can be read; ${remedy}`);
}

async function readPrivate(file: string): Promise<Buffer | undefined> {
  const handle = await openIfThere(file);
  if (!handle) return undefined;
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new Error('it is not a file; give another path');
    if (process.platform !== 'win32' && stats.mode & FOR_OTHERS) await makePrivate(handle);
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

async function openIfThere(file: string): Promise<FileHandle | undefined> {
  try {
    // Without this flag, opening a named pipe would wait for a writer. Windows has no such flag.
    return await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw cause;
  }
}

async function makePrivate(handle: FileHandle): Promise<void> {
  try {
    await handle.chmod(0o600);
  } catch (cause) {
    throw new Error('other users may open it, and that cannot be changed; run chmod 600 as its owner', {
      cause,
    });
  }
}

function parse(bytes: Buffer): Map<string, StoredCredentials> | undefined {
  if (!isUtf8(bytes)) return undefined;
  try {
    const { format, entries } = JSON.parse(bytes.toString('utf8'));
    const isWhole = format === FORMAT && isRecord(entries) && Object.values(entries).every(isStored);
    return isWhole ? new Map(Object.entries(entries as Record<string, StoredCredentials>)) : undefined;
  } catch {
    return undefined;
  }
}

function isStored(entry: unknown): entry is StoredCredentials {
  return isRecord(entry) && typeof entry.value === 'string' && typeof entry.version === 'string';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function serialize(entries: ReadonlyMap<string, StoredCredentials>): string {
  return `${JSON.stringify({ format: FORMAT, entries: Object.fromEntries(entries) }, undefined, 2)}\n`;
}

const REMEDIES: Readonly<Record<string, string>> = {
  EACCES: 'permission denied; check who owns it and its folder',
  EPERM: 'permission denied; check who owns it and its folder',
  EROFS: 'the file system is read-only; give a path on another one',
  ENOSPC: 'the disk is full; make room and try again',
  EDQUOT: 'the disk quota is used up; make room and try again',
};

function explain(cause: unknown): string {
  const { code = '', message } = cause as NodeJS.ErrnoException;
  return REMEDIES[code] ?? message;
}
