import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { cleanEnv, ROOT, TENON } from './run.js';

/** A `tenon` that goes on until it is told to end. */
export interface RunningCommand {
  readonly child: ChildProcess;
  readonly stderr: string;
  /** The lines of JSON that it has printed. */
  readonly lines: readonly Record<string, unknown>[];
  /** Waits for the line for which `find` returns something. Rejects if the command ends before. */
  line<T>(find: (line: Record<string, unknown>) => T | undefined): Promise<T>;
  /** Sends a signal and waits for the end. Resolves with the exit code. */
  end(signal?: NodeJS.Signals): Promise<number | null>;
}

interface StartOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly program?: string;
}

/** Starts a command that prints lines of JSON. It ends with the test. */
export function start(args: readonly string[], options: StartOptions = {}): RunningCommand {
  const command = startCommand(args, options);
  onTestFinished(async () => {
    if (command.child.exitCode === null) await command.end('SIGKILL');
  });
  return command;
}

/** The same for several tests: it ends when it is told to. */
export function startCommand(args: readonly string[], options: StartOptions = {}): RunningCommand {
  const child = spawn(process.execPath, [options.program ?? TENON, ...args], {
    cwd: options.cwd ?? ROOT,
    env: { ...cleanEnv(), ...options.env },
  });
  const lines: Record<string, unknown>[] = [];
  const waiting = new Set<() => void>();
  let stderr = '';
  let rest = '';
  let hasEnded = false;
  child.stderr.setEncoding('utf8').on('data', text => {
    stderr += text;
  });
  child.stdout.setEncoding('utf8').on('data', text => {
    const parts = (rest + text).split('\n');
    rest = parts.pop() as string;
    lines.push(...parts.filter(part => part.startsWith('{')).map(part => JSON.parse(part)));
    for (const look of waiting) look();
  });
  const ended = once(child, 'close').then(([code]) => {
    hasEnded = true;
    for (const look of waiting) look();
    return code as number | null;
  });
  const end = (signal: NodeJS.Signals = 'SIGINT') => {
    child.kill(signal);
    return ended;
  };
  return {
    child,
    lines,
    get stderr() {
      return stderr;
    },
    end,
    line: find =>
      new Promise((resolve, reject) => {
        let seen = 0;
        const look = () => {
          for (; seen < lines.length; seen++) {
            const found = find(lines[seen] as Record<string, unknown>);
            if (found === undefined) continue;
            waiting.delete(look);
            return resolve(found);
          }
          if (hasEnded) reject(new Error(`tenon has ended: ${stderr}`));
        };
        waiting.add(look);
        look();
      }),
  };
}

/** A folder with the files of a project that can import this package and zod. It is removed after the test. */
export async function projectWith(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-project-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await mkdir(join(folder, 'node_modules'));
  await symlink(ROOT, join(folder, 'node_modules/tenon'), 'dir');
  await symlink(join(ROOT, 'node_modules/zod'), join(folder, 'node_modules/zod'), 'dir');
  for (const [name, content] of Object.entries({ 'package.json': '{ "type": "module" }', ...files })) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
  }
  return folder;
}
