import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readlink, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { acquireLock, type FileLock } from './file-lock.js';

/**
 * Replaces a file with the text that `edit` returns, or leaves it if that is undefined. Resolves with whether it was
 * written. Other processes see the old text or the new one, and no process overwrites a text that another has written
 * since `edit` read the file; `edit` may therefore be called more than once.
 *
 * A lock can be broken while its holder is only slow, so the lock alone is not enough. A process that gets the lock
 * first removes the temporary files of all earlier holders, which can then no longer put them in place. A holder that
 * creates its temporary file after that sees that it has lost the lock.
 */
export async function rewriteFile(path: string, edit: () => Promise<string | undefined>): Promise<boolean> {
  for (;;) {
    const target = await followLinks(path);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    const lock = await acquireLock(`${target}.lock`);
    try {
      await removeTemporary(target);
      const text = await edit();
      if (text === undefined) return false;
      if (await putInPlace(target, text, lock)) return true;
    } finally {
      await lock.release();
    }
  }
}

/** The target of a link, also if that file does not exist yet. */
async function followLinks(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    const next = await readlink(path).catch(() => undefined);
    return next === undefined ? path : followLinks(resolve(await realpath(dirname(path)), next));
  }
}

const TEMPORARY = /^\.[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\.tmp$/;

async function removeTemporary(target: string): Promise<void> {
  const folder = dirname(target);
  const name = basename(target);
  for (const other of await readdir(folder)) {
    if (!other.startsWith(name) || !TEMPORARY.test(other.slice(name.length))) continue;
    await rm(join(folder, other), { force: true });
  }
}

/** Returns false if another process has taken the lock in the meantime. */
async function putInPlace(target: string, text: string, lock: FileLock): Promise<boolean> {
  const temporary = `${target}.${randomUUID()}.tmp`;
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      if (!(await lock.isHeld())) return false;
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, target);
  } catch (cause) {
    if (isMissing(cause)) return false;
    throw cause;
  } finally {
    await rm(temporary, { force: true }).catch(() => {});
  }
  await syncFolder(dirname(target));
  return true;
}

/** Without this, a power cut may undo the rename. Not every system can sync folders. */
async function syncFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch {}
}

function isMissing(cause: unknown): boolean {
  return (cause as NodeJS.ErrnoException).code === 'ENOENT';
}
