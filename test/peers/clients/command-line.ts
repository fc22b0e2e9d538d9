import { execFile } from 'node:child_process';
import { environment, NEWER_NODE, script } from '../environment.js';

/** Runs a command line of a peer and returns what it prints as JSON. A tool that fails makes some of them fail. */
export function runJson<T>(home: string, path: string, args: string[]): Promise<T> {
  return new Promise((resolve, reject) => {
    const options = { cwd: home, env: environment(home), maxBuffer: 2 ** 24 };
    execFile(NEWER_NODE, [script(path), ...args], options, (error, stdout, stderr) => {
      try {
        resolve(JSON.parse(stdout));
      } catch (cause) {
        reject(
          new Error(`no JSON from ${path} ${args.join(' ')}:\n${stdout}\n${stderr}`, {
            cause: error ?? cause,
          }),
        );
      }
    });
  });
}
