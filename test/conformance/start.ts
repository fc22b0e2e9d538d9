import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface RunningFixture {
  url: string;
  stop(): Promise<void>;
}

/** Starts a fixture of this folder on a free port and waits until it prints its URL. */
export async function startFixture(script: string): Promise<RunningFixture> {
  // The fixture exits when the IPC channel closes, so it does not outlive a test run that was killed.
  const child = spawn(process.execPath, ['--import', 'tsx', script], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { ...process.env, PORT: '0' },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const exited = once(child, 'exit');
  let errors = '';
  child.stderr!.setEncoding('utf8').on('data', chunk => (errors += chunk));

  const stop = async () => {
    child.kill();
    const force = setTimeout(() => child.kill('SIGKILL'), 3_000);
    await exited;
    clearTimeout(force);
  };
  const url = await Promise.race([
    firstUrl(child.stdout!),
    exited.then(([code]) => Promise.reject(new Error(`${script} exited with ${code}\n${errors}`))),
    failAfter(100_000, () => `${script} printed no URL\n${errors}`),
  ]).catch(async error => {
    await stop();
    throw error;
  });
  return { url, stop };
}

async function firstUrl(stdout: NodeJS.ReadableStream): Promise<string> {
  const lines = createInterface({ input: stdout });
  return new Promise(resolve => {
    // The listener stays, so that what is printed later never fills the pipe.
    lines.on('line', line => {
      const url = /https?:\/\/\S+/.exec(line)?.[0];
      if (url !== undefined) resolve(url);
    });
  });
}

function failAfter(milliseconds: number, message: () => string): Promise<never> {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error(message())), milliseconds).unref();
  });
}
