import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** The command line as `npm run build` has made it. */
export const TENON = join(ROOT, 'dist/cli/main.js');
/** A home that does not exist, so it has no configuration of any host. */
const NO_HOME = join(tmpdir(), 'tenon-no-home');

export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly input?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** Called with everything that was written to standard output so far, each time there is more. */
  readonly onStdout?: (stdout: string, kill: (signal: NodeJS.Signals) => void) => void;
  readonly onStderr?: (stderr: string, kill: (signal: NodeJS.Signals) => void) => void;
}

/** Runs `tenon` without a terminal. */
export function tenon(args: readonly string[], options: RunOptions = {}): Promise<Outcome> {
  const child = spawn(process.execPath, [TENON, ...args], {
    cwd: options.cwd ?? ROOT,
    env: { ...cleanEnv(), ...options.env },
  });
  let stdout = '';
  let stderr = '';
  const kill = (signal: NodeJS.Signals) => void child.kill(signal);
  child.stdout.setEncoding('utf8').on('data', text => {
    stdout += text;
    options.onStdout?.(stdout, kill);
  });
  child.stderr.setEncoding('utf8').on('data', text => {
    stderr += text;
    options.onStderr?.(stderr, kill);
  });
  child.stdin.end(options.input ?? '');
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', code => resolve({ code, stdout, stderr }));
  });
}

/** The environment of a user without colours, tokens or configured hosts. */
export function cleanEnv(home = NO_HOME): NodeJS.ProcessEnv {
  const { PATH, TMPDIR } = process.env;
  return {
    PATH,
    TMPDIR,
    HOME: home,
    USERPROFILE: home,
    APPDATA: join(home, 'AppData/Roaming'),
    LANG: 'C.UTF-8',
  };
}
