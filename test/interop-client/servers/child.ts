import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { program } from '../../programs/program.js';
import type { Serving } from './serving.js';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
export const EVERYTHING = 'node_modules/@modelcontextprotocol/server-everything/dist/index.js';

const HERE = 'test/interop-client/servers';

/** Arguments for node that run a script of this folder, or of a package. */
export function nodeArgs(script: string, ...args: string[]): string[] {
  return script.endsWith('.ts') ? [program(`${HERE}/${script}`), ...args] : [script, ...args];
}

/** Arguments for node that load a script of this folder before all others. */
export function preload(script: string): string[] {
  return ['--import', `./${HERE}/${script}`];
}

/** Starts an HTTP server in a process of its own, on a free loopback port. */
export async function startHttp(script: string, ...args: string[]): Promise<Serving> {
  const child = spawn(
    process.execPath,
    [...preload('listen-on-loopback.mjs'), ...nodeArgs(script, ...args)],
    {
      cwd: ROOT,
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  const exited = once(child, 'exit');
  const port = await readPort(child.stderr);
  return {
    origin: `http://127.0.0.1:${port}`,
    async close() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Reads on, too: who does not read what a process writes stops it. */
function readPort(stderr: NodeJS.ReadableStream): Promise<string> {
  let told = '';
  return new Promise((resolve, reject) => {
    createInterface({ input: stderr })
      .on('line', line => {
        told += `${line}\n`;
        const [, port] = line.match(/^\[port\] (\d+)$/) ?? [];
        if (port) resolve(port);
      })
      .on('close', () => reject(new Error(`the server ended: ${told}`)));
  });
}
