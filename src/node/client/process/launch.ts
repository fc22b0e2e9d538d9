import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command } from '../../../client/command.js';
import { ConnectionError } from '../../../protocol/failures.js';
import { childEnvironment } from './environment.js';
import { holdTree } from './kill-tree.js';
import type { ProcessTree } from './process-tree/tree.js';

export interface Launched {
  child: ChildProcess;
  tree: ProcessTree;
}

/** Starts a process that leads its own group, so that it can be ended with all its descendants. */
export async function launch(command: Command): Promise<Launched> {
  const { args = [], env, cwd, stderr = 'keep' } = command;
  try {
    const child = spawn(command.command, args, {
      env: childEnvironment(env),
      stdio: ['pipe', 'pipe', stderr === 'keep' ? 'pipe' : stderr],
      windowsHide: true,
      // On Windows this option would only open another console.
      detached: process.platform !== 'win32',
      ...(cwd !== undefined && { cwd }),
    });
    // Before `spawn` is emitted: this process may exit earlier, and must then kill the child.
    const tree = child.pid === undefined ? undefined : holdTree(child);
    await new Promise<void>((started, failed) => {
      child.once('spawn', started);
      // This listener stays, because a later error without a listener would end the process.
      child.on('error', failed);
    });
    return { child, tree: tree as ProcessTree };
  } catch (cause) {
    const reason = explain(cause as NodeJS.ErrnoException, command);
    throw new ConnectionError(`cannot start "${command.command}": ${reason}`, { cause });
  }
}

function explain(cause: NodeJS.ErrnoException, { command, cwd }: Command): string {
  // The system gives the same error codes for a missing command and a missing working directory.
  if (cwd !== undefined && !isDirectory(cwd)) {
    return `the working directory "${cwd}" ${existsSync(cwd) ? 'is not a directory' : 'does not exist'}`;
  }
  const { code } = cause;
  if (code === 'EACCES') return 'permission denied; is it an executable file?';
  if (process.platform === 'win32' && (code === 'ENOENT' || code === 'EINVAL')) {
    const remedy = `scripts such as npx need { command: "cmd", args: ["/c", "${command}", …] }`;
    return `no such program; is it installed and on PATH? On Windows, ${remedy}`;
  }
  if (code !== 'ENOENT') return cause.message;
  const isFile = command.includes('/') && existsSync(resolve(cwd ?? '.', command));
  return isFile
    ? 'the interpreter that its first line names does not exist'
    : 'no such command; is it installed and on PATH?';
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
