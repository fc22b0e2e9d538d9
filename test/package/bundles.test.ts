import { expect, it } from 'vitest';
import { bundledSize, type Program, type Size } from './bundle.js';

const KB = 1024;
/** How far a bundle may be above its target, and how much it may grow unnoticed. */
const AIR = 1.1;

interface Bundle extends Program {
  /** What the program may weigh when it starts, once and for all. */
  readonly target: number;
  /** What it weighed when this was last written down. */
  readonly recorded: Size;
}

const BUNDLES: Record<string, Bundle> = {
  'a client in a browser': {
    platform: 'browser',
    text: `
      import { connect } from 'tenon/client';
      globalThis.client = await connect('https://bistro.example/mcp');`,
    target: 30 * KB,
    recorded: { start: 31_100, total: 41_000 },
  },
  'a server on fetch': {
    platform: 'neutral',
    text: `
      import { Server } from 'tenon';
      import { fetchHandler } from 'tenon/http';
      import { z } from 'zod';
      const server = new Server({ name: 'bistro', version: '1.0.0' });
      server.tool('hello', { input: z.object({ name: z.string() }) }, ({ name }) => 'Hello ' + name);
      export default { fetch: fetchHandler(server) };`,
    target: 40 * KB,
    recorded: { start: 43_600, total: 59_500 },
  },
  'a server on stdio': {
    platform: 'node',
    text: `
      import { Server } from 'tenon';
      import { serveStdio } from 'tenon/stdio';
      import { z } from 'zod';
      const server = new Server({ name: 'bistro', version: '1.0.0' });
      server.tool('hello', { input: z.object({ name: z.string() }) }, ({ name }) => 'Hello ' + name);
      serveStdio(server);`,
    target: 40 * KB,
    recorded: { start: 42_700, total: 50_500 },
  },
};

// What counts for users is what is loaded at start: the targets hold for that. What is loaded on demand, such as the
// check of JSON Schemas and the handshake era over HTTP, is in the total, which bundlers that make one file ship as well: it may not grow by accident.
// If a bundle grew for a good reason, record its new size here; never raise a target.
it.each(Object.entries(BUNDLES))('%s stays small', async (name, { target, recorded, ...program }) => {
  const size = await bundledSize(program);
  console.log(
    `${name}: ${inKb(size.start)} at start (target ${inKb(target)}${size.start > target ? ', missed' : ''}), ${inKb(size.total)} in all`,
  );
  expect(size.start).toBeLessThanOrEqual(Math.min(target, recorded.start) * AIR);
  expect(size.total).toBeLessThanOrEqual(recorded.total * AIR);
});

function inKb(bytes: number): string {
  return `${(bytes / KB).toFixed(1)} KB`;
}
