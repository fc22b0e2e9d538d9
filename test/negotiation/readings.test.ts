import { describe, expect, it } from 'vitest';
import { McpError, Server } from '../../src/server/index.js';
import { createGate } from '../http/gate.js';
import { initializeRequest, LegacyClient } from '../http/legacy-client.js';
import { ModernClient } from '../http/modern-client.js';
import { postJson, readAnswer } from '../http/send.js';
import { serve } from '../http/serve.js';
import { connectRaw } from '../raw-client.js';

const INFO = { name: 'x', version: '1' };
const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];

describe('an error code that an author chose', () => {
  async function codeOf(revision: string, code: number, data?: object): Promise<number> {
    const server = new Server(INFO);
    server.resource('note://a', {}, () => {
      throw new McpError(code, 'no', data);
    });
    const client = await connectRaw(server, { revision });
    const failed = client.request('resources/read', { uri: 'note://a' }).catch(error => error);
    return ((await failed) as McpError).code;
  }

  // covers: 2026-07-28/basic/only-defined-reserved-codes
  it.each([
    [-32002, -32602],
    [-32042, -32603],
    [-32020, -32603],
    [-32022, -32603],
    [-32050, -32603],
    [-32021, -32603],
    [1.5, -32603],
    [-32001, -32001],
    [-32602, -32602],
    [7, 7],
  ])(
    'of %d is sent as %d in 2026-07-28, which reserves some codes and has given up others',
    async (code, sent) => {
      expect(await codeOf('2026-07-28', code)).toBe(sent);
    },
  );

  it('may be -32021 where it names the capabilities', async () => {
    expect(await codeOf('2026-07-28', -32021, { requiredCapabilities: { roots: {} } })).toBe(-32021);
  });

  it.each(REVISIONS.slice(0, 4))('is sent as it is in %s', async revision => {
    for (const code of [-32002, -32020, -32050, 7]) expect(await codeOf(revision, code)).toBe(code);
  });
});

it('a client with large capabilities gets a session that knows those of the protocol', async () => {
  const server = new Server(INFO);
  server.tool('who', {}, (_args, ctx) => JSON.stringify(ctx.client.capabilities));
  const { url } = await serve(server);
  const noise = Array.from({ length: 6000 }, () => String.fromCharCode(97 + Math.random() * 26)).join('');
  const known = { roots: { listChanged: true }, elicitation: { url: {} } };
  const client = await LegacyClient.open(url, {
    revision: '2025-11-25',
    capabilities: { ...known, experimental: { 'com.example/x': { noise } } },
  });
  expect(client.session.length).toBeLessThan(4096);
  expect(JSON.parse((await client.call('who')).result.content[0].text)).toEqual(known);
});

it.each([5, [], { arguments: [] }, { arguments: { a: 1 } }])(
  'a completion whose context is %j is refused',
  async context => {
    const server = new Server(INFO);
    server.prompt(
      'p',
      { input: { type: 'object', properties: { a: { type: 'string' } } }, complete: { a: ['x'] } },
      () => '',
    );
    const client = await connectRaw(server);
    const params = { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } };
    expect(await client.request('completion/complete', { ...params, context: {} })).toHaveProperty(
      'completion',
    );
    const refused = client.request('completion/complete', { ...params, context });
    await expect(refused).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('context'),
    });
  },
);

it('baggage reaches handlers also without a traceparent, and a tracestate only with one', async () => {
  const server = new Server(INFO);
  server.tool('trace', {}, (_args, ctx) => JSON.stringify(ctx.trace ?? null));
  const client = new ModernClient((await serve(server)).url);
  const traced = async (meta: object) => {
    const { result } = await client.call('trace', {}, { meta });
    return JSON.parse(result.content[0].text);
  };
  expect(await traced({ baggage: 'a=1' })).toEqual({ baggage: 'a=1' });
  expect(await traced({ tracestate: 'a=1' })).toBeNull();
  expect(await traced({ traceparent: 'nonsense', baggage: 'a=1' })).toEqual({ baggage: 'a=1' });
});

it('a server can be told not to send its name with every result', async () => {
  const server = new Server(INFO, { sendInfo: false });
  server.tool('plain', {}, () => 'done');
  server.tool('own', {}, () => ({ content: [], _meta: { 'com.example/a': 1 } }));
  const { url } = await serve(server);
  const client = new ModernClient(url);
  for (const method of ['server/discover', 'tools/list']) {
    expect((await client.request(method)).result).not.toHaveProperty('_meta');
  }
  expect((await client.call('plain')).result).toEqual({
    resultType: 'complete',
    content: [{ type: 'text', text: 'done' }],
  });
  expect((await client.call('own')).result._meta).toEqual({ 'com.example/a': 1 });
  const { result } = await readAnswer(await postJson(url, initializeRequest()));
  expect(result.serverInfo).toEqual(INFO);
});

it('an error -32601 of a handler is 404 with an envelope, like an unknown method, and 200 in a session', async () => {
  const server = new Server(INFO);
  server.method('acme/search', () => {
    throw new McpError(-32601, 'acme/search is switched off');
  });
  const { url } = await serve(server);
  const error = { code: -32601, message: 'acme/search is switched off' };
  expect(await new ModernClient(url).request('acme/search')).toMatchObject({ status: 404, error });
  expect(await (await LegacyClient.open(url)).request('acme/search')).toMatchObject({ status: 200, error });
});

it.each(['an envelope', 'a session'])(
  'two requests with the same id at the same time are both answered, with %s',
  async kind => {
    const server = new Server(INFO);
    const both = createGate();
    let waiting = 0;
    server.tool('meet', {}, async () => {
      if (++waiting === 2) both.open();
      await both.passed;
      return 'met';
    });
    const { url } = await serve(server);
    const params = { name: 'meet', arguments: {} };
    const modern = new ModernClient(url);
    const legacy = await LegacyClient.open(url);
    const call = () =>
      kind === 'a session'
        ? legacy.request('tools/call', params, 'same')
        : modern.request('tools/call', params, { id: 'same' });
    for (const { result } of await Promise.all([call(), call()])) expect(result.content[0].text).toBe('met');
  },
);

it('roots of another scheme than file: make the whole answer invalid', async () => {
  const server = new Server(INFO);
  server.tool('look', {}, async (_args, ctx) => JSON.stringify(await ctx.roots()));
  const roots = [{ uri: 'http://files.example/a' }, { uri: 'file:///b', name: 'b' }];
  const client = await connectRaw(server, {
    revision: '2025-06-18',
    capabilities: { roots: {} },
    answers: { 'roots/list': () => ({ roots }) },
  });
  const { content } = await client.request('tools/call', { name: 'look', arguments: {} });
  expect(content).toEqual([
    { type: 'text', text: "the client's answer to roots/list has a root that is not a file:// URI" },
  ]);
});

it('a resource that is named twice in a listen request is told of once per change', async () => {
  const server = new Server(INFO);
  server.resource('note://a', {}, () => 'a');
  server.resource('note://b', {}, () => 'b');
  const { url } = await serve(server);
  const stream = await new ModernClient(url).listen({
    resourceSubscriptions: ['note://a', 'note://a', 'note://b'],
  });
  await stream.message();
  server.resourceChanged('note://a');
  server.resourceChanged('note://b');
  const uris = [(await stream.message()).params.uri, (await stream.message()).params.uri];
  expect(uris).toEqual(['note://a', 'note://b']);
});
