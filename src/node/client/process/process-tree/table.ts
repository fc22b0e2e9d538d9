import { closeSync, existsSync, openSync, readdirSync, readSync } from 'node:fs';

/** A process as Linux describes it in `/proc`. */
export interface ProcessEntry {
  pid: number;
  /** `R` runs, `S` sleeps, `T` is stopped, `Z` and `X` are dead. */
  state: string;
  parent: number;
  group: number;
  session: number;
  /** Tells it from another process that had the same id before. */
  startedAt: string;
}

export function hasProcessTable(): boolean {
  return process.platform === 'linux' && existsSync('/proc/self/stat');
}

/** All processes. */
export function readProcessTable(): ProcessEntry[] {
  return readdirSync('/proc').flatMap(name => (/^\d/.test(name) ? (readProcess(Number(name)) ?? []) : []));
}

export function readProcess(pid: number): ProcessEntry | undefined {
  const text = readStat(pid);
  if (text === undefined) return undefined;
  // The name of the program comes before, in parentheses, and may hold anything.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ', 20);
  const [state, parent, group, session] = fields;
  return {
    pid,
    state: state as string,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startedAt: fields[19] as string,
  };
}

/** Longer than any line of `stat`. */
const stat = Buffer.alloc(2048);

/** Like `readFileSync`, at a third of its cost: there are hundreds of processes, and this is not done in background. */
function readStat(pid: number): string | undefined {
  try {
    const file = openSync(`/proc/${pid}/stat`, 'r');
    try {
      return stat.toString('latin1', 0, readSync(file, stat, 0, stat.length, null));
    } finally {
      closeSync(file);
    }
  } catch {
    // It has ended in the meantime.
    return undefined;
  }
}
