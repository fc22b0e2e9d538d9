import { fileURLToPath } from 'node:url';
import { listen } from 'tenon/node';
import { createTravelDesk, type Hold } from '../../examples/rounds/server.js';
import { freshKeys } from '../keys.js';
import { program } from '../programs/program.js';

export type Transport = 'stdio' | 'HTTP' | 'HTTP+SSE';

/** How a host starts the travel desk over stdio. */
export const STDIO = {
  command: process.execPath,
  args: [program('examples/rounds/stdio.ts')],
  cwd: fileURLToPath(new URL('../..', import.meta.url)),
};

/** A travel desk over HTTP. */
export interface Desk {
  /** Everything that its step has done. */
  readonly holds: readonly Hold[];
  readonly url: URL;
  readonly sseUrl: URL;
  close(): Promise<void>;
}

/** Opens a travel desk on a free port. */
export async function openDesk(): Promise<Desk> {
  const holds: Hold[] = [];
  const { url, close } = await listen(createTravelDesk(holds), { port: 0, sse: true, keys: freshKeys() });
  return { holds, url: new URL(url), sseUrl: new URL('/sse', url), close: () => close(0) };
}
