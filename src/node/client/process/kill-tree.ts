import type { ChildProcess } from 'node:child_process';
import { LinuxTree } from './process-tree/linux.js';
import { GroupTree } from './process-tree/process-group.js';
import { hasProcessTable } from './process-tree/table.js';
import type { ProcessTree } from './process-tree/tree.js';
import { WindowsTree } from './process-tree/windows.js';
import { until } from './waiting.js';

/** How long to wait after `SIGKILL`. Only a process that is blocked in the kernel takes longer. */
const KILL_MS = 2000;

const held = new Set<ProcessTree>();

/** The tree of a child that leads its own process group. Until it is ended, it is killed when this process exits. */
export function holdTree(child: ChildProcess): ProcessTree {
  const tree = createTree(child);
  if (held.size === 0) process.on('exit', killHeld);
  held.add(tree);
  return tree;
}

/** Ends all processes of a tree. Those that ignore `SIGTERM` are killed after the grace period. */
export async function endTree(tree: ProcessTree, graceMs: number): Promise<void> {
  const isGone = !tree.terminate() || (await until(() => !tree.isAlive(), graceMs));
  if (!isGone) {
    tree.kill();
    await until(() => !tree.isAlive(), KILL_MS);
  }
  held.delete(tree);
  if (held.size === 0) process.off('exit', killHeld);
}

function createTree(child: ChildProcess): ProcessTree {
  if (process.platform === 'win32') return new WindowsTree(child);
  const pid = child.pid as number;
  return hasProcessTable() ? new LinuxTree(pid) : new GroupTree(pid);
}

function killHeld(): void {
  for (const tree of held) tree.kill();
}
