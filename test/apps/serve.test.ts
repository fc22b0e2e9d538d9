import { rename, writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { getToolUiResourceUri, isToolVisibilityAppOnly } from '@modelcontextprotocol/ext-apps/app-bridge';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { Client, ConnectOptions, ServerChange } from '../../src/client/index.js';
import { connect } from '../../src/node/client/index.js';
import { listen } from '../../src/node/index.js';
import { app, showsApps, visibleTo } from '../../src/node/server/apps/index.js';
import { app as portableApp } from '../../src/server/apps/index.js';
import { Server, type ToolUi } from '../../src/server/index.js';
import { freshKeys } from '../keys.js';
import { fileWith, htmlOf, MIME_TYPE } from './pages.js';

const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];
/** The revisions whose tools and contents have `_meta`. */
const WITH_META = ['2025-06-18', '2025-11-25', '2026-07-28'];
const HOST = { id: 'io.modelcontextprotocol/ui', settings: { mimeTypes: [MIME_TYPE] } };

function serverWith(tools: Readonly<Record<string, ToolUi>>): Server {
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  for (const [name, ui] of Object.entries(tools)) server.tool(name, { ui }, () => 'text');
  return server;
}

async function connected(server: Server, options: ConnectOptions = {}): Promise<Client> {
  const running = await listen(server, { port: 0, keys: freshKeys() });
  const client = await connect(running.url, options);
  onTestFinished(async () => {
    await client.close();
    await running.close();
  });
  return client;
}

describe('the page of a tool', () => {
  // covers: apps/uri-scheme, apps/mime-type, apps/content-is-text, apps/resource-exists
  it.each(REVISIONS)('is a resource for clients of %s', async revision => {
    const file = await fileWith(htmlOf('Grüße'));
    const client = await connected(serverWith({ chart: app(file) }), { revision });
    const uri = 'ui://chart/view.html';
    expect(await client.resources()).toEqual([{ uri, name: uri, mimeType: MIME_TYPE }]);
    const { contents } = await client.readResource(uri);
    expect(contents).toEqual([{ uri, mimeType: MIME_TYPE, text: htmlOf('Grüße') }]);
  });

  it.each(WITH_META)('is named in the metadata of the tool, in both spellings, on %s', async revision => {
    const client = await connected(serverWith({ chart: app({ html: htmlOf('a') }) }), { revision });
    const [tool] = await client.tools();
    expect(tool?._meta).toEqual({
      ui: { resourceUri: 'ui://chart/view.html' },
      'ui/resourceUri': 'ui://chart/view.html',
    });
    expect(getToolUiResourceUri(tool as never)).toBe('ui://chart/view.html');
  });

  it.each(WITH_META)('tells hosts what it may use, in the list and with the page, on %s', async revision => {
    const chart = app(
      { html: htmlOf('a') },
      {
        uri: 'ui://bistro/chart',
        name: 'chart',
        title: 'Takings',
        description: 'The takings of a week',
        csp: {
          connectDomains: ['https://api.example.com', 'wss://live.example.com:8443', 'http://localhost:5173'],
          resourceDomains: ['https://*.example.com', 'http://[::1]:8080'],
          frameDomains: [],
        },
        permissions: ['camera', 'clipboardWrite'],
        domain: 'a904794854a047f6.claudemcpcontent.com',
        prefersBorder: false,
      },
    );
    const client = await connected(serverWith({ chart }), { revision });
    const _meta = {
      ui: {
        csp: {
          connectDomains: ['https://api.example.com', 'wss://live.example.com:8443', 'http://localhost:5173'],
          resourceDomains: ['https://*.example.com', 'http://[::1]:8080'],
          frameDomains: [],
        },
        permissions: { camera: {}, clipboardWrite: {} },
        domain: 'a904794854a047f6.claudemcpcontent.com',
        prefersBorder: false,
      },
    };
    const uri = 'ui://bistro/chart';
    const described = { name: 'chart', title: 'Takings', description: 'The takings of a week' };
    expect(await client.resources()).toEqual([{ uri, ...described, mimeType: MIME_TYPE, _meta }]);
    const { contents } = await client.readResource(uri);
    expect(contents).toEqual([{ uri, mimeType: MIME_TYPE, text: htmlOf('a'), _meta }]);
  });

  it('can be cached, in memory as over HTTP', async () => {
    const cacheHint = { ttlMs: 5000, cacheScope: 'public' } as const;
    const client = await connect(serverWith({ chart: app({ html: htmlOf('a') }, { cacheHint }) }));
    onTestFinished(() => client.close());
    expect(await client.readResource('ui://chart/view.html')).toMatchObject({
      contents: [{ mimeType: MIME_TYPE, text: htmlOf('a') }],
      ...cacheHint,
    });
  });

  it('comes from a URL, a path or a function, and may have a byte order mark or a comment first', async () => {
    const file = await fileWith(`\uFEFF<!-- built -->\n${htmlOf('b')}`);
    const client = await connected(
      serverWith({
        path: app(file),
        url: app(pathToFileURL(file)),
        made: app({ html: async () => htmlOf(String(1 + 1)) }),
        portable: portableApp({ html: '<!DOCTYPE HTML><p>' }),
      }),
    );
    const textOf = async (tool: string) => {
      const { contents } = await client.readResource(`ui://${tool}/view.html`);
      return contents[0] && 'text' in contents[0] && contents[0].text;
    };
    expect(await textOf('path')).toBe(`<!-- built -->\n${htmlOf('b')}`);
    expect(await textOf('url')).toBe(await textOf('path'));
    expect(await textOf('made')).toBe(htmlOf('2'));
    expect(await textOf('portable')).toBe('<!DOCTYPE HTML><p>');
  });

  it('is one resource for all tools that have the same app', async () => {
    const board = app({ html: htmlOf('board') });
    const client = await connected(serverWith({ board, move: board.visibleTo('app') }));
    expect((await client.resources()).map(({ uri }) => uri)).toEqual(['ui://board/view.html']);
    expect((await client.tools()).map(({ _meta }) => _meta?.ui)).toEqual([
      { resourceUri: 'ui://board/view.html' },
      { resourceUri: 'ui://board/view.html', visibility: ['app'] },
    ]);
  });

  it('has a URI even if the name of its tool could not be in one', async () => {
    const server = new Server({ name: 'bistro', version: '1.0.0' }, { onWarning: () => {} });
    server.tool('a/b ü', { ui: app({ html: htmlOf('a') }) }, () => 'text');
    const client = await connected(server);
    expect((await client.resources()).map(({ uri }) => uri)).toEqual(['ui://a%2Fb%20%C3%BC/view.html']);
  });

  it('is replaced with its tool', async () => {
    const server = new Server({ name: 'bistro', version: '1.0.0' });
    const tool = server.tool('chart', { ui: app({ html: htmlOf('old') }) }, () => 'text');
    const client = await connected(server);
    const { next } = await changesOf(client, 'ui://chart/view.html');
    const change = next();
    tool.replace({ ui: app({ html: htmlOf('new') }) }, () => 'text');
    expect(await change).toMatchObject({ kind: 'resource', uri: 'ui://chart/view.html' });
    expect(await client.readResource('ui://chart/view.html')).toMatchObject({
      contents: [{ text: htmlOf('new') }],
    });
    tool.remove();
    server.tool('chart', { ui: app({ html: htmlOf('newer') }) }, () => 'text');
    expect(await client.readResource('ui://chart/view.html')).toMatchObject({
      contents: [{ text: htmlOf('newer') }],
    });
  });

  it('is hidden from callers that may not read it', async () => {
    const server = new Server({ name: 'bistro', version: '1.0.0' });
    let isOpen = false;
    const access = { authorize: () => isOpen, hidden: 'unless-allowed' } as const;
    server.tool('chart', { ui: app({ html: htmlOf('a') }, access), ...access }, () => 'text');
    const client = await connected(server);
    expect(await client.resources()).toEqual([]);
    await expect(client.readResource('ui://chart/view.html')).rejects.toMatchObject({
      message: 'resource not found: ui://chart/view.html',
    });
    isOpen = true;
    expect(await client.readResource('ui://chart/view.html')).toMatchObject({ cacheScope: 'private' });
  });
});

describe('a file', () => {
  it.each(['2025-06-18', '2026-07-28'])(
    'that changes is served at once, and clients of %s are told',
    async revision => {
      const file = await fileWith(htmlOf('one'));
      const client = await connected(serverWith({ chart: app(file) }), { revision });
      const uri = 'ui://chart/view.html';
      const { next } = await changesOf(client, uri);
      const changed = next();
      await writeFile(file, htmlOf('two'));
      expect(await changed).toMatchObject({ kind: 'resource', uri });
      expect(await client.readResource(uri)).toMatchObject({ contents: [{ text: htmlOf('two') }] });

      const renamed = next();
      await rename(await fileWith(htmlOf('three'), 'other.html'), file);
      expect(await renamed).toMatchObject({ kind: 'resource', uri });
      expect(await client.readResource(uri)).toMatchObject({ contents: [{ text: htmlOf('three') }] });
    },
  );

  it('that is written in steps is announced when it is a page again', async () => {
    const file = await fileWith(htmlOf('one'));
    const errors: unknown[] = [];
    const server = new Server({ name: 'bistro', version: '1.0.0' }, { onError: error => errors.push(error) });
    server.tool('chart', { ui: app(file) }, () => 'text');
    const client = await connected(server);
    const uri = 'ui://chart/view.html';
    const { next } = await changesOf(client, uri);
    const changed = next();
    await writeFile(file, '');
    await expect(client.readResource(uri)).rejects.toMatchObject({ code: -32603 });
    expect(errors).toMatchObject([
      {
        message: `the page ${file} is not an HTML document: it must begin with <!doctype html>; comments may stand before it`,
      },
    ]);
    await writeFile(file, htmlOf('two'));
    expect(await changed).toMatchObject({ kind: 'resource', uri });
    expect(await client.readResource(uri)).toMatchObject({ contents: [{ text: htmlOf('two') }] });
  });

  it('that grows too large while it is served is not sent', async () => {
    const file = await fileWith(htmlOf('one'));
    const errors: unknown[] = [];
    const server = new Server({ name: 'bistro', version: '1.0.0' }, { onError: error => errors.push(error) });
    server.tool('chart', { ui: app(file) }, () => 'text');
    const client = await connected(server);
    await writeFile(file, htmlOf('a'.repeat(8 * 1024 * 1024)));
    await expect(client.readResource('ui://chart/view.html')).rejects.toMatchObject({ code: -32603 });
    expect(errors).toMatchObject([{ message: expect.stringContaining('but at most 8388608 are served') }]);
  });
});

describe('who may call a tool', () => {
  it.each(WITH_META)(
    'is told to hosts of %s, which keep the tools of pages from the model',
    async revision => {
      const server = serverWith({
        both: visibleTo('model', 'app'),
        model: visibleTo('model'),
        page: visibleTo('app', 'app'),
      });
      const client = await connected(server, { revision });
      const tools = await client.tools();
      expect(tools.map(({ _meta }) => _meta)).toEqual([
        { ui: { visibility: ['model', 'app'] } },
        { ui: { visibility: ['model'] } },
        { ui: { visibility: ['app'] } },
      ]);
      expect(tools.filter(tool => isToolVisibilityAppOnly(tool as never)).map(({ name }) => name)).toEqual([
        'page',
      ]);
      // A page asks its host, and the host calls the tool: to the server it is a call as any other.
      expect(await client.callTool('page')).toMatchObject({ content: [{ text: 'text' }] });
    },
  );
});

describe('the extension', () => {
  // covers: apps/server-declares
  it.each(REVISIONS)('is declared to clients of %s as soon as a tool has an app', async revision => {
    const server = new Server({ name: 'bistro', version: '1.0.0' });
    server.tool('greet', {}, () => 'hello');
    const without = await connected(server, { revision });
    expect(without.server.extension('io.modelcontextprotocol/ui')).toBeUndefined();
    server.tool('chart', { ui: app({ html: htmlOf('a') }) }, () => 'text');
    server.tool('refresh', { ui: visibleTo('app') }, () => 'text');
    const client = await connected(server, { revision });
    expect(client.server.extension('io.modelcontextprotocol/ui')).toEqual({});
  });

  // covers: apps/text-for-others
  it.each([
    ['says that it shows apps', HOST, 'a chart is shown'],
    ['says nothing', undefined, 'Monday 12, Tuesday 14'],
    [
      'shows other kinds of pages only',
      { ...HOST, settings: { mimeTypes: ['text/html'] } },
      'Monday 12, Tuesday 14',
    ],
    ['says it in a wrong shape', { ...HOST, settings: { mimeTypes: MIME_TYPE } }, 'Monday 12, Tuesday 14'],
  ])('lets a tool give more text to a host that %s', async (_, extension, text) => {
    const server = new Server({ name: 'bistro', version: '1.0.0' });
    server.tool(
      'chart',
      { input: z.object({}), output: z.object({ days: z.array(z.int()) }), ui: app({ html: htmlOf('a') }) },
      (_args, ctx) => ({
        structuredContent: { days: [12, 14] },
        content: [{ type: 'text', text: showsApps(ctx) ? 'a chart is shown' : 'Monday 12, Tuesday 14' }],
      }),
    );
    for (const revision of REVISIONS) {
      const client = await connected(server, { revision, ...(extension && { extensions: [extension] }) });
      // The lists of older revisions do not say which tool has an app.
      const expected = revision < '2025-06-18' ? 'Monday 12, Tuesday 14' : text;
      expect((await client.callTool('chart')).content).toEqual([{ type: 'text', text: expected }]);
    }
  });
});

/** Listens to a resource until the test is over. */
async function changesOf(client: Client, uri: string): Promise<{ next(): Promise<ServerChange> }> {
  let changes!: AsyncIterator<ServerChange>;
  let first: Promise<IteratorResult<ServerChange>> | undefined;
  await new Promise<void>(onReady => {
    changes = client.changes({ resources: [uri] }, { onReady: () => onReady() })[Symbol.asyncIterator]();
    first = changes.next();
  });
  onTestFinished(async () => void (await changes.return?.()));
  return {
    async next() {
      const change = first ?? changes.next();
      first = undefined;
      return (await change).value;
    },
  };
}
