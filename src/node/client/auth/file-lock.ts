import { randomUUID } from 'node:crypto';
import { open, readFile, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** A lock is held for milliseconds only. */
const MAX_AGE_MS = 10_000;
const MAX_WAIT_MS = 60_000;
const MAX_PAUSE_MS = 40;

/** A lock between processes. It can be lost: see `rewriteFile`. */
export interface FileLock {
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

/**
 * Waits for a lock, which is a file with the process id of its holder. The lock is broken if that process is dead, or
 * if the file is so old that its holder must have failed.
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
      // A lock file that cannot be removed becomes stale.
      if (await isHeld()) await rm(path, { force: true }).catch(() => {});
    },
  };
}

/** Returns false if the file exists. */
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
      // After a clock was set back, the file may be dated in the future.
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

/** False if the file has no number yet: it is written just after it was created. */
function isDead(pid: number): boolean {
  if (!(pid > 0)) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
