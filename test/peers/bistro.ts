import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { createBistro } from '../../examples/bistro/server.js';
import { openBistro } from '../interop/bistro.js';
import { ROOT } from './environment.js';

export type Transport = 'Streamable HTTP' | 'stdio';

/** The demo server as a foreign client reaches it: at a URL, or as a program to start. */
export interface Target {
  url: string;
  command: string;
  args: string[];
}

/** The demo server on both transports. */
export interface House {
  target: Target;
  sseUrl: string;
  /** The revisions of all requests so far. */
  revisions(transport: Transport): string[];
  close(): Promise<void>;
}

export async function openHouse(): Promise<House> {
  const revisions = new Set<string>();
  const bistro = createBistro();
  bistro.use((call, next) => {
    revisions.add(call.revision);
    return next();
  });
  const { url, sseUrl, close } = await openBistro(bistro);
  const folder = mkdtempSync(`${tmpdir()}/tenon-house-`);
  return {
    target: { url: url.href, ...stdioBistro(`${folder}/requests`) },
    sseUrl: sseUrl.href,
    revisions: transport =>
      transport === 'stdio' ? revisionsIn(readFileSync(`${folder}/requests`, 'utf8')) : [...revisions],
    async close() {
      await close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The demo writes a line about each request to stderr, which not every client passes on: it goes to a file. */
function stdioBistro(requests: string): Pick<Target, 'command' | 'args'> {
  const bistro = ['--import', import.meta.resolve('tsx'), `${ROOT}examples/bistro/stdio.ts`];
  return { command: '/bin/sh', args: ['-c', `exec "$0" "$@" 2>>${requests}`, process.execPath, ...bistro] };
}

function revisionsIn(requests: string): string[] {
  return [...new Set([...requests.matchAll(/^\d{4}-\d\d-\d\d(?= )/gm)].map(([revision]) => revision))];
}
