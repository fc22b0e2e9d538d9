/** Sends a signal to a process, or to a group if the id is negative. Returns whether it could be sent. */
export function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}
