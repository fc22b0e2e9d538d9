import { describe, expect, it, vi } from 'vitest';
import type { ClientMiddleware, ClientRequestMiddleware } from '../../src/client/middleware.js';
import { connectAll } from '../../src/node/client/index.js';
import { failure, pair, serveRaw } from '../client-faults/connected.js';
import { type Ask, modern } from '../client-faults/raw-server.js';

const INPUT = {
  type: 'object',
  properties: { region: { type: 'string', 'x-mcp-header': 'Region' } },
};

/** A server with one tool, whose calls are answered by `call`. */
function sql(call: (ask: Ask) => void = ask => ask.text('done')) {
  return modern({
    'tools/list': ask => ask.result({ tools: [{ name: 'sql', inputSchema: INPUT }] }),
    'tools/call': call,
    '*': ask => (ask.method === 'server/discover' ? modern({})(ask) : ask.result({})),
  });
}

/** Middleware that passes calls of tools on as calls of `sql` in another region. */
const elsewhere: ClientMiddleware = (request, next) =>
  request.method === 'tools/call'
    ? next({ params: { ...request.params, name: 'sql', arguments: { region: 'eu' } } })
    : next();

const mirrored = ({ request: { headers } }: Ask) => [headers['mcp-name'], headers['mcp-param-region']];

describe('the headers of a request that middleware changed mirror what is sent', () => {
  it.each(['sql', 'query'])('when the tool "%s" is called', async name => {
    const { client, server } = await pair(sql(), { middleware: [elsewhere] });
    await client.callTool(name, { region: 'us' });
    await client.request('tools/call', { name, arguments: { region: 'us' } });
    await client.begin('tools/call', { name, arguments: { region: 'us' } });
    expect(server.of('tools/call').map(mirrored)).toEqual([
      ['sql', 'eu'],
      ['sql', 'eu'],
      ['sql', 'eu'],
    ]);
  });

  it('when a held request goes on', async () => {
    const ask = (ask: Ask) =>
      ask.message.params.requestState === undefined
        ? ask.result({ resultType: 'input_required', requestState: 's' })
        : ask.text('done');
    const { client, server } = await pair(sql(ask), { middleware: [elsewhere] });
    const { held } = await client.begin('tools/call', { name: 'sql', arguments: { region: 'us' } });
    await client.resume(held!, {});
    expect(server.of('tools/call').map(mirrored)).toEqual([
      ['sql', 'eu'],
      ['sql', 'eu'],
    ]);
  });

  it('when the server missed a header', async () => {
    let count = 0;
    const answer = sql(ask => (++count === 1 ? ask.error(-32020, 'header mismatch') : ask.text('done')));
    const { client, server } = await pair(answer, { middleware: [elsewhere] });
    await client.callTool('sql', { region: 'us' });
    expect(server.of('tools/call').map(mirrored)).toEqual([
      ['sql', 'eu'],
      ['sql', 'eu'],
    ]);
  });

  it('in a group', async () => {
    const server = await serveRaw(sql());
    await using group = await connectAll({ data: { target: server.url, middleware: [elsewhere] } });
    await group.callTool('data__sql', { region: 'us' });
    expect(server.of('tools/call').map(mirrored)).toEqual([['sql', 'eu']]);
  });
});

it('the output of a tool is checked by the schema of the tool that was called', async () => {
  const output = (type: string) => ({ type: 'object', properties: { n: { type } }, required: ['n'] });
  const tools = [
    { name: 'sql', inputSchema: INPUT, outputSchema: output('number') },
    { name: 'query', inputSchema: INPUT, outputSchema: output('string') },
  ];
  const answer = modern({
    'tools/list': ask => ask.result({ tools }),
    'tools/call': ask => ask.result({ content: [], structuredContent: { n: 1 } }),
  });
  const { client } = await pair(answer, { middleware: [elsewhere] });
  expect(await client.callTool('query')).toMatchObject({ structuredContent: { n: 1 } });
});

it('a tool that middleware lists under another name keeps its headers', async () => {
  const renamed: ClientMiddleware = async (request, next) => {
    if (request.method === 'tools/call')
      return next({ params: { ...request.params, name: String(request.params.name).replace('my-', '') } });
    const result = await next();
    if (request.method !== 'tools/list') return result;
    const tools = result.tools as { name: string }[];
    return { ...result, tools: tools.map(tool => ({ ...tool, name: `my-${tool.name}` })) };
  };
  const { client, server } = await pair(sql(), { middleware: [renamed] });
  expect(await client.tools()).toMatchObject([{ name: 'my-sql' }]);
  await client.callTool('my-sql', { region: 'us' });
  expect(server.of('tools/call').map(mirrored)).toEqual([['sql', 'us']]);
});

describe('a cached result is used only for the request that would be sent', () => {
  /** Middleware that adds the latest of what it is given to the parameters. */
  function adding(): { layer: ClientMiddleware; add(params: object): void } {
    let added = {};
    return {
      layer: (request, next) => next({ params: { ...request.params, ...added } }),
      add: params => {
        added = params;
      },
    };
  }

  const reading = modern({
    'resources/read': ask =>
      ask.result({
        contents: [{ uri: ask.message.params.uri, text: JSON.stringify(ask.message.params) }],
        ttlMs: 60_000,
        cacheScope: 'public',
      }),
  });

  it.each([
    ['another URI', { uri: 'a:2' }],
    ['another `_meta`', { _meta: { 'com.example/tenant': 'b' } }],
    ['another parameter', { 'com.example/view': 'short' }],
  ])('when middleware gives it %s', async (_, params) => {
    const { layer, add } = adding();
    const { client, server } = await pair(reading, { middleware: [layer] });
    const first = await client.readResource('a:1');
    add(params);
    const second = await client.readResource('a:1');
    expect(second.contents[0]).not.toEqual(first.contents[0]);
    expect(await client.readResource('a:1')).toEqual(second);
    expect(server.of('resources/read')).toHaveLength(2);
  });

  it.each([{ requestState: 's' }, { inputResponses: {} }])(
    'and is neither used nor kept when middleware adds %j',
    async params => {
      const { layer, add } = adding();
      const { client, server } = await pair(reading, { middleware: [layer] });
      add(params);
      await client.readResource('a:1');
      await client.readResource('a:1');
      expect(server.of('resources/read')).toHaveLength(2);
      add({});
      await client.readResource('a:1');
      expect(server.of('resources/read')).toHaveLength(3);
    },
  );

  it('and middleware runs around it as around every other one', async () => {
    const layer = vi.fn<ClientRequestMiddleware>(async (_, next) => ({ ...(await next()), seen: true }));
    const { client, server } = await pair(reading);
    client.use(layer);
    await client.readResource('a:1');
    expect(await client.readResource('a:1')).toMatchObject({ seen: true });
    expect(layer).toHaveBeenCalledTimes(2);
    expect(server.of('resources/read')).toHaveLength(1);
  });
});

describe('middleware cannot send what an author must not send:', () => {
  const LEVEL = 'io.modelcontextprotocol/logLevel';
  it.each([
    ['a malformed key', { 'bad key!': 1 }, 'bad key!'],
    ['a fraction as progress token', { progressToken: 1.5 }, 'progress token'],
    ['a malformed trace', { traceparent: 'bad' }, 'traceparent'],
    ['an unknown log level', { [LEVEL]: 'loud' }, 'log level'],
    ['a `_meta` that is a list', [], '_meta'],
  ])('%s', async (_, _meta, text) => {
    const change = <M extends { params: object }, R>(
      { params }: M,
      next: (changes: { params: any }) => R,
    ): R => next({ params: { ...params, _meta } });
    const { client, server } = await pair(sql());
    client.use({ request: change, send: change });
    for (const sending of [client.callTool('sql'), client.ping(), client.notify('com.example/told')]) {
      expect(await failure(sending)).toMatchObject({ kind: 'usage', message: expect.stringContaining(text) });
    }
    expect(server.asks.map(ask => ask.method)).toEqual(['server/discover']);
  });
});
