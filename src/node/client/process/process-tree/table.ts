import { closeSync, existsSync, openSync, readdirSync, readSync } from 'node:fs';

/** A process as Linux describes it in `/proc`. */
export interface ProcessEntry {
  pid: number;
  /** `R` running, `S` sleeping, `T` stopped, `Z` and `X` dead. */
  state: string;
  parent: number;
  group: number;
  session: number;
  /** Distinguishes it from an earlier process with the same id. */
  startedAt: string;
}

export function hasProcessTable(): boolean {
  return process.platform === 'linux' && existsSync('/proc/self/stat');
}

export function readProcessTable(): ProcessEntry[] {
  return readdirSync('/proc').flatMap(name => (/^\d/.test(name) ? (readProcess(Number(name)) ?? []) : []));
}

export function readProcess(pid: number): ProcessEntry | undefined {
  const text = readStat(pid);
  if (text === undefined) return undefined;
  // The program's name precedes these fields, in parentheses, and may contain any character.
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

/** Like `readFileSync` at a third of its cost: there are hundreds of processes, and this blocks the event loop. */
function readStat(pid: number): string | undefined {
  try {
    const file = openSync(`/proc/${pid}/stat`, 'r');
    try {
      return stat.toString('latin1', 0, readSync(file, stat, 0, stat.length, null));
    } finally {
      closeSync(file);
    }
  } catch {
    // The process has ended in the meantime.
    return undefined;
  }
}
