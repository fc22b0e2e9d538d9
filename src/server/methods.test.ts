import { describe, expect, it } from 'vitest';
import { connectRaw } from '../../test/raw-client.js';
import { ERROR, McpError } from '../protocol/errors.js';
import { inputRequired } from '../protocol/input-required.js';
import { Server } from './server.js';

const REVISIONS = ['2025-11-25', '2026-07-28'];

describe.each(REVISIONS)('a method of the author on %s', revision => {
  async function call(handler: Parameters<Server['method']>[1], onError = (_: unknown) => {}) {
    const server = new Server({ name: 'bistro', version: '1.0.0' }, { onError });
    server.method('acme/search', handler);
    const client = await connectRaw(server, { revision });
    return client.request('acme/search', { query: 'soup' });
  }

  it('gets the parameters and the context, and answers with any object', async () => {
    const result = await call((params, ctx) => ({ found: params.query, revision: ctx.revision }));
    expect(result).toMatchObject({ found: 'soup', revision });
  });

  it('may answer later', async () => {
    expect(await call(async () => ({ found: 1 }))).toMatchObject({ found: 1 });
  });

  it('may refuse', async () => {
    const refused = call(() => {
      throw new McpError(1234, 'not today');
    });
    await expect(refused).rejects.toMatchObject({ code: 1234, message: 'not today' });
  });

  it('keeps the text of unexpected errors to itself, and reports them', async () => {
    const reported: unknown[] = [];
    const failed = call(
      () => {
        throw new Error('the password is 1234');
      },
      error => reported.push(error),
    );
    await expect(failed).rejects.toMatchObject({ code: ERROR.internal, message: 'internal error' });
    expect(reported).toHaveLength(1);
  });

  it.each(['tools/list', 'ping', 'initialize', 'resources/future', 'notifications/tools/list_changed'])(
    'cannot be %s, which belongs to the protocol',
    name => {
      const server = new Server({ name: 'bistro', version: '1.0.0' });
      expect(() => server.method(name, () => ({}))).toThrow(
        `the method "${name}" belongs to the protocol; give yours a prefix: "acme/search"`,
      );
    },
  );
});

describe('a method of the author that asks', () => {
  const roots = [{ uri: 'file:///work' }];

  async function call(revision: string, handler: Parameters<Server['method']>[1]) {
    const server = new Server({ name: 'bistro', version: '1.0.0' });
    server.method('acme/search', handler);
    const answers = { 'roots/list': () => ({ roots }) };
    const client = await connectRaw(server, { revision, capabilities: { roots: {} }, answers });
    return client.request('acme/search');
  }

  it('gets its answer on a handshake revision', async () => {
    expect(await call('2025-11-25', async (_, ctx) => ({ roots: await ctx.roots() }))).toEqual({ roots });
  });

  it.each<[string, Parameters<Server['method']>[1]]>([
    ['with the context', async (_, ctx) => ({ roots: await ctx.roots() })],
    ['by hand', () => inputRequired({ requests: { roots: { method: 'roots/list' } } })],
  ])('%s is told that only some methods have rounds', async (_, handler) => {
    await expect(call('2026-07-28', handler)).rejects.toMatchObject({
      code: ERROR.internal,
      message:
        'a handler of acme/search cannot ask: only tools/call, prompts/get, resources/read have rounds',
    });
  });
});

describe('a notification from a client', () => {
  it('reaches its handler with the client and the session', async () => {
    const server = new Server({ name: 'bistro', version: '1.0.0' });
    const seen: unknown[] = [];
    server.notification('notifications/roots/list_changed', (params, { client, session }) => {
      session?.values.set('roots', 'stale');
      seen.push([params, client.info?.name, client.capabilities]);
    });
    server.tool('roots', {}, (_, ctx) => String(ctx.session?.values.get('roots')));
    const capabilities = { roots: { listChanged: true } };
    const client = await connectRaw(server, { revision: '2025-11-25', capabilities });
    await client.notify('notifications/roots/list_changed', { a: 1 });
    expect(seen).toEqual([[{ a: 1 }, 'tenon-test-client', capabilities]]);
    expect(await client.request('tools/call', { name: 'roots' })).toMatchObject({
      content: [{ text: 'stale' }],
    });
  });

  it('also tells when a client is ready', async () => {
    const server = new Server({ name: 'bistro', version: '1.0.0' });
    let isReady = false;
    server.notification('notifications/initialized', () => {
      isReady = true;
    });
    await connectRaw(server, { revision: '2025-06-18' });
    expect(isReady).toBe(true);
  });

  it.each([
    [
      'at once',
      () => {
        throw new Error('broken');
      },
    ],
    [
      'later',
      async () => {
        throw new Error('broken');
      },
    ],
  ])('whose handler fails %s is reported and disturbs nobody', async (_, handler) => {
    const reported: unknown[] = [];
    const server = new Server(
      { name: 'bistro', version: '1.0.0' },
      { onError: (error, where) => reported.push([error, where]) },
    );
    server.tool('soup', {}, () => 'Soup');
    server.notification('acme/event', handler);
    const client = await connectRaw(server, { revision: '2025-11-25' });
    await client.notify('acme/event');
    await client.notify('acme/unknown');
    expect(await client.request('tools/call', { name: 'soup' })).toMatchObject({
      content: [{ text: 'Soup' }],
    });
    expect(reported).toEqual([[new Error('broken'), 'acme/event']]);
  });
});
