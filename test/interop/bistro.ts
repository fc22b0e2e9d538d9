import { fileURLToPath } from 'node:url';
import { listen } from 'tenon/node';
import { createBistro } from '../../examples/bistro/server.js';
import { program } from '../programs/program.js';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** How a host starts the bistro over stdio. */
export const STDIO = {
  command: process.execPath,
  args: [program('examples/bistro/stdio.ts')],
  cwd: ROOT,
};

export interface Bistro {
  url: URL;
  sseUrl: URL;
  close(): Promise<void>;
}

/** Opens a bistro on a free port. */
export async function openBistro(bistro = createBistro()): Promise<Bistro> {
  const { url, close } = await listen(bistro, { port: 0, sse: true });
  return { url: new URL(url), sseUrl: new URL('/sse', url), close };
}
