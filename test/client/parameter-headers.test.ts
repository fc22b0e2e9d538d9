import { describe, expect, it } from 'vitest';
import { pair } from '../client-faults/connected.js';
import { type Ask, modern } from '../client-faults/raw-server.js';

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
