import { describe, expect, it, onTestFinished } from 'vitest';
import { Cancelled, type Client, connectAll } from '../../src/node/client/index.js';
import { connected, pair } from '../client-faults/connected.js';
import { type Ask, modern } from '../client-faults/raw-server.js';
import { ScriptedServer, STATELESS } from './scripted-server.js';

const INPUT = {
  type: 'object',
  properties: {
    region: { type: 'string', 'x-mcp-header': 'Region' },
    limit: { type: 'integer', 'x-mcp-header': 'Limit' },
    dry: { type: 'boolean', 'x-mcp-header': 'Dry-Run' },
    deep: { type: 'object', properties: { zone: { type: 'string', 'x-mcp-header': 'Zone' } } },
    query: { type: 'string' },
  },
};

function sql(inputSchema: unknown = INPUT, answer: (ask: Ask) => void = ask => ask.text('done')) {
  return modern({
    'tools/list': ask => ask.result({ tools: [{ name: 'sql', inputSchema }] }),
    'tools/call': answer,
  });
}

/** The parameter headers of a request. */
function parameters({ request }: Ask): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(request.headers).filter(([name]) => name.startsWith('mcp-param-')),
  );
}

describe('a call of a tool with parameters that are mirrored', () => {
  async function sent(args: Record<string, unknown>): Promise<Record<string, unknown>> {
    const { client, server } = await pair(sql());
    await client.tools();
    await client.callTool('sql', args);
    const [ask] = server.of('tools/call');
    expect(ask!.message.params.arguments).toEqual(args);
    return parameters(ask!);
  }

  // covers: 2026-07-28/streamable-http/call-headers
  // covers: 2026-07-28/streamable-http/client-supports-parameter-headers
  // covers: 2026-07-28/streamable-http/parameters-are-mirrored
  // covers: 2026-07-28/streamable-http/value-has-a-header
  it('has a header for each that has a value, at any depth, and for no other', async () => {
    const args = { region: 'us-west1', limit: -7, dry: false, deep: { zone: 'b' }, query: 'SELECT 1' };
    expect(await sent(args)).toEqual({
      'mcp-param-region': 'us-west1',
      'mcp-param-limit': '-7',
      'mcp-param-dry-run': 'false',
      'mcp-param-zone': 'b',
    });
  });

  it('has them also if the stored outcome of an earlier connection does not describe the server', async () => {
    const { client, server } = await pair(sql(), { negotiated: { revision: STATELESS } });
    await client.callTool('sql', { region: 'eu' });
    await client.callTool('sql', { region: 'us' });
    expect(server.of('tools/list')).toHaveLength(1);
    expect(server.of('tools/call').map(parameters)).toEqual([
      { 'mcp-param-region': 'eu' },
      { 'mcp-param-region': 'us' },
    ]);
  });

  // covers: 2026-07-28/streamable-http/absent-has-no-header, 2026-07-28/streamable-http/null-has-no-header
  it('has none for those that are absent or null', async () => {
    expect(await sent({})).toEqual({});
    expect(await sent({ region: null, limit: null, dry: null, deep: null })).toEqual({});
    expect(await sent({ deep: { zone: null } })).toEqual({});
  });

  // covers: 2026-07-28/streamable-http/header-values-are-encoded
  // covers: 2026-07-28/streamable-http/markers-are-exact
  // covers: 2026-07-28/streamable-http/unsafe-values-are-base64
  // covers: 2026-07-28/streamable-http/values-like-markers-are-encoded
  it.each([
    ['us-west1', 'us-west1'],
    ['two words', 'two words'],
    ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
    [' padded ', '=?base64?IHBhZGRlZCA=?='],
    ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='],
    ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
  ])('writes %j as %s', async (region, header) => {
    expect(await sent({ region })).toEqual({ 'mcp-param-region': header });
  });
});

describe('a call of a tool that was not listed', () => {
  const call = { name: 'sql', arguments: { region: 'eu' } };
  const WAYS: Record<string, (client: Client) => Promise<unknown>> = {
    callTool: client => client.callTool('sql', call.arguments),
    request: client => client.request('tools/call', call),
    begin: client => client.begin('tools/call', call),
    resume: client => client.resume({ method: 'tools/call', params: call, round: 1, questions: {} }, {}),
  };

  // covers: 2026-07-28/streamable-http/call-headers, 2026-07-28/streamable-http/parameters-are-mirrored
  it.each(Object.keys(WAYS))('comes after a list, and has its headers: %s', async way => {
    const { client, server } = await pair(sql());
    await WAYS[way]!(client);
    await WAYS[way]!(client);
    expect(server.asks.slice(1).map(({ method }) => method)).toEqual([
      'tools/list',
      'tools/call',
      'tools/call',
    ]);
    for (const ask of server.of('tools/call')) expect(parameters(ask)).toEqual({ 'mcp-param-region': 'eu' });
  });

  it('has its headers in a group, and on a connection that was negotiated before', async () => {
    const { client, server } = await pair(sql());
    const again = await connected(server.url, { negotiated: client.negotiated });
    await again.callTool('sql', call.arguments);
    const group = await connectAll({ db: server.url });
    onTestFinished(() => group.close());
    await group.callTool('db__sql', call.arguments);
    expect(server.of('tools/call').map(parameters)).toEqual([
      { 'mcp-param-region': 'eu' },
      { 'mcp-param-region': 'eu' },
    ]);
  });

  it('shares one list with all others, also with those of tools that are on no list', async () => {
    const { client, server } = await pair(sql());
    await Promise.all([...'abc'].map(name => client.callTool(name)));
    await client.callTool('d');
    expect(server.of('tools/list')).toHaveLength(1);
    expect(server.of('tools/call')).toHaveLength(4);
  });

  it('is made without headers if the tools cannot be listed', async () => {
    const refused = modern({
      'tools/list': ask => ask.error(-32603, 'not now'),
      'tools/call': ask => ask.text('done'),
    });
    const { client, server } = await pair(refused);
    for (let i = 0; i < 2; i++)
      expect(await client.callTool('sql', call.arguments)).toMatchObject({ content: [{ text: 'done' }] });
    expect(server.of('tools/list')).toHaveLength(1);
  });

  it('does not wait for a list longer than its timeout, and not after it was given up', async () => {
    const silent = modern({ 'tools/list': () => {}, 'tools/call': ask => ask.text('done') });
    const { client, server } = await pair(silent);
    const giveUp = new AbortController();
    const givenUp = client.callTool('sql', {}, { signal: giveUp.signal });
    await expect.poll(() => server.of('tools/list')).toHaveLength(1);
    giveUp.abort();
    await expect(givenUp).rejects.toThrow(Cancelled);
    const options = { timeoutMs: 200, meta: { progressToken: 'mine' } };
    expect(await client.callTool('sql', {}, options)).toMatchObject({ content: [{ text: 'done' }] });
    expect(server.of('tools/list')).toHaveLength(1);
    expect(server.of('tools/call')).toHaveLength(1);
  });

  it('comes after another list when the server has said that its tools changed', async () => {
    let inputSchema: object = { type: 'object' };
    const { client, server } = await pair(
      modern({
        'tools/list': ask => ask.result({ tools: [{ name: 'sql', inputSchema }], ttlMs: 100_000 }),
        'tools/call': ask =>
          ask
            .stream()
            .event({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
            .event(ask.textMessage('done')),
      }),
    );
    await client.callTool('sql', call.arguments);
    inputSchema = INPUT;
    await client.callTool('sql', call.arguments);
    expect(server.of('tools/list')).toHaveLength(2);
    expect(server.of('tools/call').map(parameters)).toEqual([{}, { 'mcp-param-region': 'eu' }]);
  });

  it('needs no list where there are no headers', async () => {
    const script = { revision: STATELESS, capabilities: { tools: {} } };
    const server = new ScriptedServer(script);
    const client = await server.connect('on a pipe');
    await client.callTool('sql', call.arguments);
    expect(server.methods).toEqual(['tools/call']);
  });
});

describe('a call whose headers the server refuses', () => {
  // covers: 2026-07-28/streamable-http/client-lists-again-after-a-mismatch
  it('is made once more, with the headers of the tool as it is now', async () => {
    let schema: object = { type: 'object', properties: { region: { type: 'string' } } };
    const { client, server } = await pair(
      modern({
        'tools/list': ask => ask.result({ tools: [{ name: 'sql', inputSchema: schema }], ttlMs: 100_000 }),
        'tools/call': ask =>
          ask.request.headers['mcp-param-region'] === 'us-west1'
            ? ask.text('done')
            : ask.error(-32020, 'Header mismatch: Mcp-Param-Region is missing', { status: 400 }),
      }),
    );
    await client.tools();
    schema = INPUT;
    const args = { region: 'us-west1' };
    expect(await client.callTool('sql', args)).toMatchObject({ content: [{ text: 'done' }] });
    expect(server.asks.slice(1).map(ask => ask.method)).toEqual([
      'tools/list',
      'tools/call',
      'tools/list',
      'tools/call',
    ]);
    expect(server.of('tools/call')[1]!.message.params.arguments).toEqual(args);
  });
});

describe('a tool whose parameters cannot be mirrored', () => {
  const property = (schema: object) => ({ type: 'object', properties: { a: schema } });
  const text = { type: 'string', 'x-mcp-header': 'A' };

  // covers: 2026-07-28/streamable-http/client-rejects-invalid-annotations
  // covers: 2026-07-28/streamable-http/invalid-tools-are-not-listed
  // covers: 2026-07-28/streamable-http/rejected-tools-are-logged
  it.each<[string, unknown]>([
    ['an empty name', property({ type: 'string', 'x-mcp-header': '' })],
    ['a name that is no token', property({ type: 'string', 'x-mcp-header': 'My Region' })],
    ['a name with a line end', property({ type: 'string', 'x-mcp-header': 'a\r\nb' })],
    [
      'two names that differ in case',
      { type: 'object', properties: { a: text, b: { ...text, 'x-mcp-header': 'a' } } },
    ],
    ['a number', property({ type: 'number', 'x-mcp-header': 'A' })],
    ['an object', property({ type: 'object', 'x-mcp-header': 'A' })],
    ['an item of a list', property({ type: 'array', items: text })],
    ['a choice', { type: 'object', anyOf: [property(text)] }],
    ['a condition', { type: 'object', if: property(text) }],
    ['a reference', { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: text } }],
  ])('is left out of the list, and a warning names it: %s', async (_, inputSchema) => {
    const warnings: string[] = [];
    const { client } = await pair(
      modern({
        'tools/list': ask =>
          ask.result({
            tools: [
              { name: 'broken', inputSchema },
              { name: 'sound', inputSchema: INPUT },
            ],
          }),
      }),
      { onWarning: warning => warnings.push(warning) },
    );
    expect((await client.tools()).map(({ name }) => name)).toEqual(['sound']);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['sound']);
    expect(warnings.length).toBeGreaterThan(0);
    for (const warning of warnings) expect(warning).toMatch(/broken.*x-mcp-header/);
  });
});
