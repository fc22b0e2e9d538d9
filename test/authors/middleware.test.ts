import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Middleware, Server } from '../../src/server/index.js';
import { initializeRequest, LegacyClient } from '../http/legacy-client.js';
import { ModernClient } from '../http/modern-client.js';
import { postJson, readAnswer } from '../http/send.js';
import { serve } from '../http/serve.js';

const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const EXTENSION = { extensions: { 'com.example/later': {} } };

async function open(middleware: Middleware, options = {}) {
  const reported: string[] = [];
  const onError = (error: unknown) => reported.push((error as Error).message);
  const server = new Server({ name: 'bistro', version: '1.0.0' }, { onError, ...options });
  server.tool('count', { output: z.object({ n: z.number() }) }, () => ({ n: 1 }));
  server.tool('greet', {}, () => 'Hello');
  server.resource('menu://today', { cacheHint: { ttlMs: 5000, cacheScope: 'public' } }, () => 'Soup');
  server.resource('menu://{day}', { list: () => ['menu://monday'] }, () => 'Soup');
  server.prompt('order', {}, () => 'Soup');
  server.use(middleware);
  const { url } = await serve(server);
  return { client: new ModernClient(url), url, reported };
}

describe('a result that middleware broke is refused and reported:', () => {
  const COUNT: [string, object] = ['tools/call', { name: 'count', arguments: {} }];
  it.each<[string, [string, object], (result: any) => unknown, string]>([
    ['content that is no list', COUNT, result => ({ ...result, content: 'broken' }), '"content"'],
    ['content changed in place', COUNT, result => Object.assign(result, { content: [5] }), 'in place'],
    [
      'structured content that does not fit',
      COUNT,
      result => ({ ...result, structuredContent: { n: 'no' } }),
      'output schema refuses',
    ],
    ['no structured content', COUNT, () => ({ content: [] }), 'output schema refuses'],
    ['a malformed key', COUNT, result => ({ ...result, _meta: { 'bad key!': 1 } }), 'bad key!'],
    ['an isError that is a text', COUNT, result => ({ ...result, isError: 'no' }), 'isError'],
    ['nothing', COUNT, () => undefined, 'is not an object'],
    ['tools without schemas', ['tools/list', {}], () => ({ tools: [{ name: 'a' }] }), '"tools"'],
    [
      'contents that are none',
      ['resources/read', { uri: 'menu://today' }],
      () => ({ contents: [{}] }),
      '"contents"',
    ],
    ['messages that are none', ['prompts/get', { name: 'order' }], () => ({ messages: [{}] }), '"messages"'],
    [
      'a message of an unknown role',
      ['prompts/get', { name: 'order' }],
      result => ({ messages: [{ ...result.messages[0], role: 'system' }] }),
      '"messages"',
    ],
    ['a negative lifetime', ['tools/list', {}], result => ({ ...result, ttlMs: -5 }), 'ttlMs'],
    ['an unknown scope', ['tools/list', {}], result => ({ ...result, cacheScope: 'everyone' }), 'cacheScope'],
  ])('%s', async (_, [method, params], change, problem) => {
    const { client, url, reported } = await open(async (call, next) =>
      call.method === method ? (change(await next()) as object) : next(),
    );
    expect((await client.request(method, params)).error?.code).toBe(-32603);
    expect((await (await LegacyClient.open(url)).request(method, params)).error?.code).toBe(-32603);
    expect(reported).toHaveLength(2);
    expect(reported[0]).toContain(problem);
  });
});

it.each<[string, object]>([
  ['no version', { protocolVersion: undefined }],
  ['a version that is a number', { protocolVersion: 5 }],
  ['capabilities that are a list', { capabilities: [] }],
  ['a server without a version', { serverInfo: { name: 'bistro' } }],
  ['instructions that are a number', { instructions: 5 }],
])('the end of a handshake to which middleware gave %s is refused and reported', async (_, change) => {
  const { url, reported } = await open(async (call, next) =>
    call.method === 'initialize' ? { ...(await next()), ...change } : next(),
  );
  const answer = await readAnswer(await postJson(url, initializeRequest()));
  expect(answer.error?.code).toBe(-32603);
  expect(answer.headers.get('mcp-session-id')).toBeNull();
  expect(reported).toEqual([expect.stringContaining('the result of initialize that middleware returned')]);
});

it.each<[string, Middleware]>([
  [
    'answered instead of the server',
    async (call, next) =>
      call.method === 'initialize'
        ? {
            protocolVersion: '2025-11-25',
            capabilities: {},
            serverInfo: { name: 'bistro', version: '1.0.0' },
          }
        : next(),
  ],
  [
    'gave the name of another revision',
    async (call, next) =>
      call.method === 'initialize' ? { ...(await next()), protocolVersion: '2025-03-26' } : next(),
  ],
])('a handshake in which middleware %s is refused and reported, and opens no session', async (_, layer) => {
  const { url, reported } = await open(layer);
  const answer = await readAnswer(await postJson(url, initializeRequest({ revision: '2025-06-18' })));
  expect(answer.error?.code).toBe(-32603);
  expect(answer.headers.get('mcp-session-id')).toBeNull();
  expect(reported).toEqual([expect.stringContaining('initialize')]);
});

it('a session has the revision and the client that middleware passed on', async () => {
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  server.tool('who', {}, (_args, ctx) => `${ctx.revision} ${ctx.client.info?.name} ${ctx.supports('roots')}`);
  server.use(async (call, next) => {
    if (call.method !== 'initialize') return next();
    const clientInfo = { name: 'somebody', version: '1.0.0' };
    return next({ params: { protocolVersion: '2025-03-26', capabilities: {}, clientInfo } });
  });
  const { url } = await serve(server);
  const opening = initializeRequest({ revision: '2025-06-18', capabilities: { roots: {} } });
  const opened = await readAnswer(await postJson(url, opening));
  expect(opened.result.protocolVersion).toBe('2025-03-26');
  const session = opened.headers.get('mcp-session-id') as string;
  const client = new LegacyClient(url, { revision: '2025-03-26', session, initialized: opened });
  expect((await client.call('who')).result.content).toMatchObject([{ text: '2025-03-26 somebody false' }]);
});

it('parameters of a handshake that middleware made unreadable are refused, and open no session', async () => {
  const { url } = await open(async (call, next) =>
    call.method === 'initialize' ? next({ params: {} }) : next(),
  );
  const answer = await readAnswer(await postJson(url, initializeRequest()));
  expect(answer.error?.code).toBe(-32602);
  expect(answer.headers.get('mcp-session-id')).toBeNull();
});

it('a description of the server that middleware broke is refused and reported', async () => {
  const { client, reported } = await open(async (call, next) =>
    call.method === 'server/discover' ? { ...(await next()), supportedVersions: '2026-07-28' } : next(),
  );
  expect((await client.request('server/discover')).error?.code).toBe(-32603);
  expect(reported).toEqual([expect.stringContaining('supportedVersions')]);
});

it.each<[string, object, object]>([
  ['ping', {}, { alive: true }],
  [
    'completion/complete',
    { ref: { type: 'ref/resource', uri: 'menu://{day}' }, argument: { name: 'day', value: 'm' } },
    { completion: { values: [5] } },
  ],
])('a result of %s that middleware broke is refused and reported', async (method, params, broken) => {
  const { url, reported } = await open(async (call, next) => (call.method === method ? broken : next()), {
    capabilities: { completions: {} },
  });
  const client = await LegacyClient.open(url);
  expect((await client.request(method, params)).error?.code).toBe(-32603);
  expect(reported).toEqual([expect.stringContaining(`the result of ${method} that middleware returned`)]);
});

// covers: 2026-07-28/caching/hints-on-complete-results, 2026-07-28/caching/ttl-is-not-negative
it.each<[string, object, string]>([
  ['tools/list', { tools: [] }, 'tools'],
  ['prompts/list', { prompts: [] }, 'prompts'],
  ['resources/list', { resources: [] }, 'resources'],
  ['resources/templates/list', { resourceTemplates: [] }, 'resourceTemplates'],
])('the result of %s that middleware made itself may not be cached', async (method, made, member) => {
  const { client } = await open(async () => made);
  const { result } = await client.request(method);
  expect(result).toMatchObject({ [member]: [], ttlMs: 0, cacheScope: 'private' });
});

it('middleware keeps the hints of a result that it changes, and may set others', async () => {
  const { client } = await open(async (call, next) =>
    call.method === 'resources/read' ? { ...(await next()), ttlMs: 7 } : next(),
  );
  const { result } = await client.request('resources/read', { uri: 'menu://today' });
  expect(result).toMatchObject({ ttlMs: 7, cacheScope: 'public' });
});

it('middleware may change a result in every valid way', async () => {
  const { client, reported } = await open(async (call, next) => {
    const result: any = await next();
    if (call.target === 'count')
      return { ...result, structuredContent: { n: 2 }, _meta: { 'com.example/a': 1 } };
    if (call.target === 'greet')
      return { ...result, content: [...result.content, { type: 'text', text: 'and goodbye' }] };
    return result;
  });
  expect((await client.call('count')).result).toMatchObject({ structuredContent: { n: 2 } });
  expect((await client.call('greet')).result.content).toHaveLength(2);
  expect((await client.request('resources/list')).result.resources).toHaveLength(2);
  expect(reported).toEqual([]);
});

describe('a result type', () => {
  const later: Middleware = async (_, next) => ({ ...(await next()), resultType: 'later' });

  // covers: 2026-07-28/basic/known-result-types
  it('that no extension has is refused and reported, whoever returned it', async () => {
    const { client, reported } = await open(later);
    expect((await client.call('greet')).error?.code).toBe(-32603);
    const server = new Server(
      { name: 'x', version: '1' },
      { onError: e => reported.push((e as Error).message) },
    );
    server.tool('task', {}, () => ({ content: [], resultType: 'task' }));
    server.tool('five', {}, () => ({ content: [], resultType: 5 }) as never);
    server.method('acme/x', () => ({ resultType: 'later' }));
    const other = new ModernClient((await serve(server)).url);
    expect((await other.call('task')).error?.code).toBe(-32603);
    expect((await other.call('five')).error?.code).toBe(-32603);
    expect((await other.request('acme/x')).error?.code).toBe(-32603);
    expect(reported).toHaveLength(4);
    expect(reported[0]).toBe(
      'the result type "later" belongs to no extension that the server and this client declared',
    );
  });

  it('of an extension is sent to clients that declared the same extension', async () => {
    const { client } = await open(later, { capabilities: EXTENSION });
    expect((await client.call('greet')).error?.code).toBe(-32603);
    const { result } = await client.call('greet', {}, { meta: { [CAPABILITIES]: EXTENSION } });
    expect(result.resultType).toBe('later');
  });
});
