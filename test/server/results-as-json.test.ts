import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/base/json.js';
import { Server } from '../../src/server/index.js';
import { connectRaw } from '../raw-client.js';

const INFO = { name: 'bistro', version: '1.0.0' };
const META_OF_SERVER = { 'io.modelcontextprotocol/serverInfo': INFO };

/** Calls a server whose handlers return results with members that JSON leaves out or replaces. */
async function request(add: (server: Server) => void, method: string, params: JsonObject = {}) {
  const errors: unknown[] = [];
  const server = new Server(INFO, { onError: error => errors.push(error) });
  add(server);
  const client = await connectRaw(server);
  return { result: client.request(method, params), errors };
}

describe('a member of a result that is undefined', () => {
  const NOTHING = { resultType: undefined, _meta: undefined, ttlMs: undefined, cacheScope: undefined };

  // covers: 2026-07-28/basic/result-has-a-type, 2026-07-28/basic/server-info-on-every-result
  it.each<[string, (server: Server) => void, string, JsonObject]>([
    [
      'a tool',
      s => s.tool('x', {}, () => ({ content: [], ...NOTHING }) as never),
      'tools/call',
      { name: 'x' },
    ],
    [
      'a prompt',
      s => s.prompt('x', {}, () => ({ messages: [], ...NOTHING }) as never),
      'prompts/get',
      { name: 'x' },
    ],
    ['a method', s => s.method('acme/x', () => ({ a: 1, ...NOTHING })), 'acme/x', {}],
  ])('does not replace the one that the protocol needs: %s', async (_, add, method, params) => {
    const { result } = await request(add, method, params);
    expect(await result).toMatchObject({ resultType: 'complete', _meta: META_OF_SERVER });
  });

  // covers: 2026-07-28/caching/hints-on-complete-results
  it('does not replace the cache hint of a resource', async () => {
    const add = (server: Server) =>
      server.resource('note://a', {}, () => ({ contents: [{ text: 'a' }], ...NOTHING }) as never);
    const { result } = await request(add, 'resources/read', { uri: 'note://a' });
    expect(await result).toMatchObject({
      resultType: 'complete',
      _meta: META_OF_SERVER,
      ttlMs: 0,
      cacheScope: 'private',
    });
  });

  // covers: 2026-07-28/caching/hints-on-complete-results, 2026-07-28/basic/result-has-a-type
  it.each([
    ['tools/list', {}],
    ['server/discover', {}],
    ['resources/read', { uri: 'note://a' }],
  ])('does not replace what %s needs, if middleware adds it', async (method, params) => {
    const add = (server: Server) => {
      server.tool('x', {}, () => '');
      server.resource('note://a', {}, () => 'a');
      server.use(async (_call, next) => ({ ...(await next()), ...NOTHING }));
    };
    const { result } = await request(add, method, params);
    expect(await result).toMatchObject({ resultType: 'complete', ttlMs: 0, cacheScope: 'private' });
  });
});

describe('a value with a toJSON', () => {
  const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
  const asText = (value: unknown) => ({ toJSON: () => value });

  it.each<[string, (server: Server) => void, string, JsonObject]>([
    [
      'a block of a tool',
      s => s.tool('x', {}, () => [{ ...image, ...asText({ ...image, data: '%' }) }] as never),
      'tools/call',
      { name: 'x' },
    ],
    [
      'the _meta of a tool',
      s => s.tool('x', {}, () => ({ content: [], _meta: asText(5) }) as never),
      'tools/call',
      { name: 'x' },
    ],
    [
      'the block of a prompt',
      s =>
        s.prompt(
          'x',
          {},
          () => ({ role: 'user', content: { ...image, ...asText({ type: 'image' }) } }) as never,
        ),
      'prompts/get',
      { name: 'x' },
    ],
    [
      'the contents of a resource',
      s => s.resource('note://a', {}, () => ({ text: 'a', ...asText({ blob: '%' }) }) as never),
      'resources/read',
      { uri: 'note://a' },
    ],
    [
      'a list of middleware',
      s => {
        s.tool('x', {}, () => '');
        s.use(async (_call, next) => ({ ...(await next()), ...asText({ tools: [{}] }) }));
      },
      'tools/list',
      {},
    ],
  ])('is checked as it is sent: %s', async (_, add, method, params) => {
    const { result, errors } = await request(add, method, params);
    const sent = await result.catch(error => ({ isError: true, code: error.code }));
    expect(sent).toMatchObject({ isError: true });
    expect(errors).toEqual([expect.objectContaining({ kind: 'usage' })]);
  });

  // covers: 2026-07-28/caching/hints-on-complete-results, 2026-07-28/basic/server-info-on-every-result
  it.each<[string, (server: Server) => void, string, JsonObject]>([
    [
      'a resource',
      s => s.resource('note://a', {}, () => ({ contents: [{ text: 'a' }], ...asText({}) }) as never),
      'resources/read',
      { uri: 'note://a' },
    ],
    [
      'middleware',
      s => {
        s.tool('x', {}, () => '');
        s.use(async (_call, next) => ({ ...(await next()), ...asText({ tools: [] }) }));
      },
      'tools/list',
      {},
    ],
  ])('does not remove what the protocol adds: %s', async (_, add, method, params) => {
    const { result } = await request(add, method, params);
    const added = { resultType: 'complete', _meta: META_OF_SERVER, ttlMs: 0, cacheScope: 'private' };
    expect(await result).toMatchObject(added);
  });

  it('is sent as it says by a method of the author', async () => {
    const add = (server: Server) => server.method('acme/x', () => ({ a: 1, ...asText({ b: 2 }) }));
    const { result } = await request(add, 'acme/x');
    expect(await result).toEqual({ resultType: 'complete', _meta: META_OF_SERVER, b: 2 });
  });
});
