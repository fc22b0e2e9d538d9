import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Client as OfficialClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { ConnectOptions, ServerChange } from '../../src/client/index.js';
import { McpError } from '../../src/client/index.js';
import { connect } from '../../src/node/client/index.js';
import { textOf } from '../../src/testing/index.js';
import { serve } from '../http/serve.js';
import { until } from '../interop-client/until.js';
import { program } from '../programs/program.js';
import { catalogClient, createLibrary, ID, searchCatalog } from './catalog.js';

const REVISIONS = ['2025-06-18', '2025-11-25', '2026-07-28'];
const TRANSPORTS = ['memory', 'HTTP', 'stdio'] as const;
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Connects to a library over a transport, with what its extension heard. */
async function open(transport: (typeof TRANSPORTS)[number], options: ConnectOptions) {
  const opened: string[] = [];
  const target = await locate(transport, opened);
  const client = await connect(target, options);
  onTestFinished(() => client.close());
  return { client, opened };
}

async function locate(transport: (typeof TRANSPORTS)[number], opened: string[]) {
  if (transport === 'stdio') {
    const args = [program(`${ROOT}test/extensions/library.ts`)];
    const onStderr = (text: string) =>
      opened.push(...[...text.matchAll(/opened (\w+)/g)].map(m => m[1] as string));
    return { command: process.execPath, args, cwd: ROOT, onStderr };
  }
  const server = createLibrary(book => opened.push(book));
  return transport === 'memory' ? server : (await serve(server)).url;
}

describe.each(TRANSPORTS)('the catalog search over %s', transport => {
  it.each(REVISIONS)('runs unchanged on %s', async revision => {
    const found: string[] = [];
    const extensions = [catalogClient(book => found.push(book))];
    const { client, opened } = await open(transport, { revision, extensions });
    expect(client.server.extension(ID)).toEqual({ books: 3 });
    // Its method, with a notification while it runs.
    expect(await searchCatalog(client, 'm')).toEqual(['Emma', 'Middlemarch']);
    await until(() => expect(found).toHaveLength(2));
    expect(found).toEqual(['Emma', 'Middlemarch']);
    // Its notification.
    await client.notify('notifications/com.example/opened', { book: 'Emma' });
    await until(() => expect(opened).toHaveLength(1));
    expect(opened).toEqual(['Emma']);
    // Its type of results, which its handler turns into the final one.
    expect(textOf(await client.callTool('search', { words: 'per' }))).toBe('Persuasion');
    // Its middleware, on a result that is seen as it came.
    const { result } = await client.begin('tools/call', { name: 'search', arguments: { words: 'per' } });
    expect(result).toMatchObject({
      resultType: 'search_started',
      _meta: { 'com.example/catalog': 'catalog of 2026' },
    });
    expect(textOf(await client.callTool('strict'))).toBe('settings: {"shelf":"fiction"}');
    // Its notices.
    const changes: ServerChange[] = [];
    const listening = new AbortController();
    let isReady = false;
    const notices = { 'com.example/added': ['Villette'] };
    const watching = (async () => {
      const onReady = (active: object) => {
        expect(active).toEqual({ notices });
        isReady = true;
      };
      for await (const change of client.changes({ notices }, { signal: listening.signal, onReady }))
        changes.push(change);
    })();
    await until(() => expect(isReady).toBe(true));
    await client.callTool('add', { book: 'Villette' });
    await until(() => expect(changes).toHaveLength(1));
    expect(changes[0]).toMatchObject({
      kind: 'notice',
      method: 'notifications/com.example/added',
      params: { book: 'Villette' },
    });
    listening.abort();
    await watching;
  });
});

describe.each(REVISIONS)('a client of %s that did not declare the extension', revision => {
  // covers: 2026-07-28/versioning/extension-of-one-side
  it('gets what every client gets, and is refused what belongs to the extension', async () => {
    const { client } = await open('HTTP', { revision });
    expect(textOf(await client.callTool('search', { words: 'per' }))).toBe('Persuasion');
    const refused = client.request('com.example/search', { words: 'per' });
    const error = await refused.then(undefined, thrown => thrown as McpError);
    expect(error).toBeInstanceOf(McpError);
    expect(error?.message).toContain(`com.example/search needs the client capability "extensions.${ID}"`);
    expect(error?.data).toEqual({ requiredCapabilities: { extensions: { [ID]: {} } } });
    const strict = await client.callTool('strict').then(textOf, thrown => (thrown as McpError).message);
    expect(strict).toContain(`needs the client capability "extensions.${ID}"`);
    if (revision === '2026-07-28') expect(error?.code).toBe(-32021);
  });
});

it('a server that did not declare the extension is sent nothing of it', async () => {
  const { Server } = await import('../../src/server/index.js');
  const client = await connect(new Server({ name: 'plain', version: '1.0.0' }), {
    extensions: [catalogClient()],
  });
  onTestFinished(() => client.close());
  expect(client.server.extension(ID)).toBeUndefined();
  const missing = `server capability "extensions.${ID}"`;
  await expect(searchCatalog(client, 'm')).rejects.toThrow(missing);
  await expect(client.notify('notifications/com.example/opened', { book: 'Emma' })).rejects.toThrow(missing);
});

it('the official client uses the method and the notifications of the extension', async () => {
  const opened: string[] = [];
  const { url } = await serve(createLibrary(book => opened.push(book)));
  const capabilities = { extensions: { [ID]: {} } };
  const client = new OfficialClient({ name: 'official', version: '1.0.0' }, {
    capabilities,
    versionNegotiation: { mode: 'auto' },
  } as never);
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  onTestFinished(() => client.close());
  expect(client.getServerCapabilities()?.extensions).toEqual({ [ID]: { books: 3 } });
  const Result = z.looseObject({ books: z.array(z.string()) });
  const result = await client.request(
    { method: 'com.example/search', params: { words: 'emma' } },
    Result as never,
  );
  expect(result).toMatchObject({ books: ['Emma'] });
  await client.notification({
    method: 'notifications/com.example/opened',
    params: { book: 'Emma' },
  } as never);
  await until(() => expect(opened).toHaveLength(1));
  expect(opened).toEqual(['Emma']);
});

it('docs/extensions.md shows this extension', async () => {
  const page = await readFile(`${ROOT}docs/extensions.md`, 'utf8');
  const source = withoutImports(await readFile(`${ROOT}test/extensions/catalog.ts`, 'utf8'));
  const blocks = [...page.matchAll(/^```ts catalog\n(.*?)^```/gms)].map(match =>
    withoutImports(match[1] as string),
  );
  expect(blocks).toHaveLength(2);
  for (const block of blocks) expect(source).toContain(block);
});

function withoutImports(text: string): string {
  return text.replace(/^import .*?;\n/gms, '').trim();
}
