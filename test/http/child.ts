import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { program } from '../programs/program.js';

/** A fixture that runs in a process of its own until it ends, is killed, or the test is over. */
export interface Child {
  readonly process: ChildProcess;
  /** The next line that it prints. Fails if it ends instead. */
  line(): Promise<string>;
  /** Kills it at once, without a chance to clean up. */
  kill(): Promise<void>;
  /** Its exit code, when it has one. */
  exited: Promise<number | null>;
}

export function startChild(
  fixture: string,
  options: { env?: Record<string, string>; nodeArgs?: string[]; args?: string[] } = {},
): Child {
  const script = fileURLToPath(new URL(`fixtures/${fixture}`, import.meta.url));
  const child = spawn(
    process.execPath,
    [...(options.nodeArgs ?? []), program(script), ...(options.args ?? [])],
    {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      env: { ...process.env, ...options.env },
      stdio: ['pipe', 'pipe', 'pipe', 'ipc'],
    },
  );
  let errors = '';
  child.stderr!.setEncoding('utf8').on('data', chunk => {
    errors += chunk;
  });
  const exited = once(child, 'exit').then(([code]) => code as number | null);
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  const kill = async () => {
    child.kill('SIGKILL');
    await exited;
  };
  onTestFinished(kill);
  return {
    process: child,
    kill,
    exited,
    async line() {
      const { value, done } = await lines.next();
      if (done) throw new Error(`${fixture} ended with ${await exited}\n${errors}`);
      return value;
    },
  };
}
