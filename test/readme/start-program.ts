import { spawn } from 'node:child_process';
import { onTestFinished } from 'vitest';
import { ROOT } from '../architecture/sources.js';

/** Runs a program until the test is over, after those in `imports`, and returns the first URL that it prints. */
export function startProgram(
  file: string,
  env: NodeJS.ProcessEnv = {},
  imports: readonly string[] = [],
): Promise<string> {
  const before = ['tsx', ...imports].flatMap(each => ['--import', each]);
  const child = spawn(process.execPath, [...before, file], {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill());
  return new Promise((resolve, reject) => {
    let printed = '';
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk;
      const url = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(printed)?.[0];
      if (url) resolve(url);
    });
    child.stderr.on('data', (chunk: Buffer) => {
      printed += chunk;
    });
    child.on('exit', () => reject(new Error(`${file} ended without a URL:\n${printed}`)));
  });
}
