import { describe, expect, test } from 'vitest';
import { InvalidAnswer } from '../../src/node/client/index.js';
import { failOnUnhandled } from '../faults/unhandled.js';
import { expectUsable, failure, pair, serveRaw } from './connected.js';
import { type Answer, ERAS, modern } from './raw-server.js';

failOnUnhandled();

const fine: Answer = ask => ask.text('fine');

describe.for(ERAS)('a list of a $era server', ({ serve }) => {
  const lists = [
    ['tools/list', 'tools', 'tools'],
    ['prompts/list', 'prompts', 'prompts'],
    ['resources/list', 'resources', 'resources'],
    ['resources/templates/list', 'resourceTemplates', 'resourceTemplates'],
  ] as const;

  test.for(lists)('%s whose page leads to itself ends', async ([method, field, read]) => {
    const { client, server } = await pair(
      serve({ [method]: ask => ask.result({ [field]: [], nextCursor: 'again' }), 'tools/call': fine }),
    );
    const error = await failure(client[read]());
    expect(error).toBeInstanceOf(InvalidAnswer);
    expect(error.message).toContain(method);
    expect(server.of(method)).toHaveLength(1000);
    await expectUsable(client);
  });

  test('whose pages go in a circle ends', async () => {
    const { client, server } = await pair(
      serve({
        'tools/list': ask =>
          ask.result({ tools: [], nextCursor: `${(Number(ask.message.params.cursor ?? 0) + 1) % 10}` }),
        'tools/call': fine,
      }),
    );
    expect(await failure(client.tools())).toBeInstanceOf(InvalidAnswer);
    expect(server.of('tools/list')).toHaveLength(1000);
    await expectUsable(client);
  });

  test('whose pages are always new ends', async () => {
    let page = 0;
    const { client, server } = await pair(
      serve({
        'resources/list': ask => ask.result({ resources: [], nextCursor: `${++page}` }),
        'tools/call': fine,
      }),
    );
    expect(await failure(client.resources(), 20_000)).toBeInstanceOf(InvalidAnswer);
    expect(server.of('resources/list').length).toBeLessThanOrEqual(1000);
    await expectUsable(client);
  });

  test('whose pages are always new and large ends sooner', async () => {
    let page = 0;
    const body = (id: number) =>
      `{"jsonrpc":"2.0","id":${id},"result":{"nextCursor":"${++page}","prompts":[{"name":"${'x'.repeat(10_000_000)}"}]}}`;
    const { client, server } = await pair(
      serve({ 'prompts/list': ask => ask.json(body(ask.message.id)), 'tools/call': fine }),
    );
    expect(await failure(client.prompts(), 20_000)).toBeInstanceOf(InvalidAnswer);
    expect(server.of('prompts/list').length).toBeLessThan(10);
    await expectUsable(client);
  });

  // covers: 2025-06-18/pagination/no-fixed-page-size, 2025-06-18/pagination/no-cursor-is-the-end
  // covers: 2026-07-28/pagination/no-cursor-is-the-end, 2026-07-28/pagination/page-size-is-not-assumed
  // covers: 2026-07-28/pagination/with-and-without-pages
  test('with many pages is read to its end', async () => {
    const { client } = await pair(
      serve({
        'resources/list': ask => {
          const page = Number(ask.message.params.cursor ?? 0);
          const resources = [{ uri: `a:${page}`, name: `${page}` }];
          ask.result({ resources, ...(page < 99 && { nextCursor: `${page + 1}` }) });
        },
      }),
    );
    expect((await client.resources()).map(({ name }) => Number(name))).toEqual(
      Array.from({ length: 100 }, (_, n) => n),
    );
  });

  test('with as many entries as a message can have is read', async () => {
    const resources = Array.from({ length: 24_000 }, (_, at) => ({ uri: `a:${at}`, name: 'a' }));
    const { client } = await pair(serve({ 'resources/list': ask => ask.result({ resources }) }));
    expect(await client.resources()).toHaveLength(24_000);
  });

  test.for([[{}], [{ tools: null }], [{ tools: {} }], [{ tools: 'x' }]])(
    'that is none, as in %j, fails',
    async ([result]) => {
      const { client } = await pair(serve({ 'tools/list': ask => ask.result(result!), 'tools/call': fine }));
      expect(await failure(client.tools())).toBeInstanceOf(InvalidAnswer);
      expect(await failure(client.listTools())).toBeInstanceOf(InvalidAnswer);
      await expectUsable(client);
    },
  );

  test('with things in it that are no tools is read without them', async () => {
    const tools = [
      null,
      1,
      'x',
      [],
      {},
      { name: 1 },
      { name: 'ok', inputSchema: null },
      { name: '__proto__' },
    ];
    const { client } = await pair(serve({ 'tools/list': ask => ask.result({ tools }), 'tools/call': fine }));
    expect((await client.tools()).map(({ name }) => name)).toEqual(['ok', '__proto__']);
    await client.callTool('__proto__');
    await client.callTool('constructor');
  });
});

describe('an output schema', () => {
  /** A server with one tool, `odd`, that has this schema and returns this. */
  async function odd(outputSchema: unknown, structuredContent: unknown) {
    const { client, server } = await pair(
      modern({
        'tools/list': ask =>
          ask.result({ tools: [{ name: 'odd', inputSchema: { type: 'object' }, outputSchema }] }),
        'tools/call': ask =>
          ask.message.params.name === 'fine'
            ? ask.text('fine')
            : ask.result({ content: [], structuredContent }),
      }),
    );
    await client.tools();
    return { client, server };
  }

  const nested = (depth: number) =>
    JSON.parse(`${'{"properties":{"a":'.repeat(depth)}{}${'}}'.repeat(depth)}`);
  const refused: [string, unknown][] = [
    ['in the network', { $ref: 'SERVER' }],
    [
      'in the network, deep within',
      { type: 'object', properties: { a: { items: [{ $ref: 'SERVER#/x' }] } } },
    ],
    ['in a file', { $ref: 'file:///etc/passwd' }],
    ['that does not exist', { $ref: '#/nowhere' }],
    ['of an address that is its own, and then elsewhere', { $id: 'SERVER', $ref: 'other.json' }],
  ];
  // covers: 2026-07-28/basic/no-network-references, 2026-07-28/basic/unresolved-references-are-rejected
  // covers: 2026-07-28/tools/client-follows-no-references
  test.for(refused)('that refers to something %s is refused, and nothing is fetched', async ([, schema]) => {
    const elsewhere = await serveRaw(ask => ask.json({ type: 'object' }));
    const { client } = await odd(JSON.parse(JSON.stringify(schema).replaceAll('SERVER', elsewhere.url)), {
      a: 1,
    });
    expect(await failure(client.callTool('odd'))).toBeInstanceOf(InvalidAnswer);
    expect(elsewhere.asks).toEqual([]);
    await expectUsable(client);
  });

  const useless: [string, unknown][] = [
    ['is no schema', 17],
    ['has types that nobody knows', { type: 'nonsense' }],
    ['is of a dialect that nobody knows', { $schema: 'http://example.com/dialect' }],
    ['is nested too deep', nested(120)],
    ['refers to itself', { $ref: '#' }],
    [
      'refers to itself in a circle',
      { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } },
    ],
    [
      'grows without bound',
      {
        $defs: Object.fromEntries(
          Array.from({ length: 30 }, (_, n) => [
            `d${n}`,
            { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
          ]),
        ),
        $ref: '#/$defs/d0',
      },
    ],
  ];
  // covers: 2026-07-28/basic/schemas-are-bounded
  test.for(useless)('that %s fails the call with a typed error', async ([, schema]) => {
    const { client } = await odd(schema, { a: 1 });
    // Some may turn out to be harmless; none may do anything else.
    const end = await client.callTool('odd').catch(error => error);
    if (end instanceof Error) expect(end).toBeInstanceOf(InvalidAnswer);
    await expectUsable(client);
  });

  test('of 10,000 levels is not even read as a message', async () => {
    const deep = `${'{"not":'.repeat(10_000)}{}${'}'.repeat(10_000)}`;
    const { client } = await pair(
      modern({
        'tools/list': ask =>
          ask.json(
            `{"jsonrpc":"2.0","id":${ask.message.id},"result":{"tools":[{"name":"a","inputSchema":${deep}}]}}`,
          ),
        'tools/call': fine,
      }),
    );
    expect(await failure(client.tools())).toBeInstanceOf(InvalidAnswer);
    await expectUsable(client);
  });

  const patterns = [
    '^(a+)+$',
    '^(a|a)*$',
    '(a*)*b',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)(.*)[^a]$',
    '^(?=(a+))\\1*b',
  ];
  test.for(patterns)('with the pattern %s does not hang', async pattern => {
    const { client } = await odd(
      { type: 'object', properties: { a: { type: 'string', pattern } } },
      { a: `${'a'.repeat(50_000)}!` },
    );
    const begun = process.cpuUsage();
    const end = await client.callTool('odd').catch(error => error);
    if (end instanceof Error) expect(end).toBeInstanceOf(InvalidAnswer);
    // Work, not time, because others may be at work, too.
    expect(process.cpuUsage(begun).user / 1000).toBeLessThan(3000);
    await expectUsable(client);
  });

  // covers: 2026-07-28/tools/client-validates-output
  test('that a result does not fit fails the call, and says where', async () => {
    const { client } = await odd({ type: 'object', properties: { n: { minimum: 1 } } }, { n: 0 });
    const error = await failure(client.callTool('odd'));
    expect(error).toBeInstanceOf(InvalidAnswer);
    expect(error.message).toMatch(/odd.*n must be at least 1/);
  });
});
