import { randomUUID } from 'node:crypto';
import { open, readFile, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** What is done under a lock takes milliseconds. */
const MAX_AGE_MS = 10_000;
const MAX_WAIT_MS = 60_000;
const MAX_PAUSE_MS = 40;

/** A lock that processes share. It can be lost: see `rewriteFile`. */
export interface FileLock {
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

/**
 * Waits for a lock, which is a file that names its holder. It is broken if its holder is dead, or if it is so
 * old that its holder must be.
 */
export async function acquireLock(path: string): Promise<FileLock> {
  const mark = `${process.pid} ${randomUUID()}`;
  const deadline = performance.now() + MAX_WAIT_MS;
  for (let pause = 2; !(await create(path, mark)); pause = Math.min(2 * pause, MAX_PAUSE_MS)) {
    if (await isStale(path)) await rm(path, { force: true });
    else if (performance.now() < deadline) await sleep(Math.random() * pause);
    else throw new Error(`other processes keep it locked; if there are none, delete ${path}`);
  }
  const isHeld = async () => (await readFile(path, 'utf8').catch(() => '')) === mark;
  return {
    isHeld,
    async release() {
      // What cannot be removed becomes stale.
      if (await isHeld()) await rm(path, { force: true }).catch(() => {});
    },
  };
}

/** False if the file exists. */
async function create(path: string, mark: string): Promise<boolean> {
  try {
    const file = await open(path, 'wx', 0o600);
    try {
      await file.writeFile(mark);
    } catch (cause) {
      await rm(path, { force: true });
      throw cause;
    } finally {
      await file.close();
    }
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw cause;
  }
}

async function isStale(path: string): Promise<boolean> {
  try {
    const file = await open(path, 'r');
    try {
      const { mtimeMs } = await file.stat();
      // A clock that was set back makes files of the future.
      if (Math.abs(Date.now() - mtimeMs) > MAX_AGE_MS) return true;
      return isDead(Number.parseInt(await file.readFile('utf8'), 10));
    } finally {
      await file.close();
    }
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw cause;
  }
}

/** Not if there is no number yet: a lock is written just after it was made. */
function isDead(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
