import { readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/** Processor time a process has used so far, all threads together; undefined without `/proc`. */
export function cpuSeconds(pid: number): number | undefined {
  try {
    // The name in the second field may contain anything, so count from the parenthesis that closes it.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  } catch {
    return undefined;
  }
}
