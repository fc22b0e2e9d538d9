import { describe, expect, it } from 'vitest';
import { pair } from '../client-faults/connected.js';
import { type Ask, modern } from '../client-faults/raw-server.js';

/** A server whose results say which resource was requested, and may be cached. */
const reading = modern({
  'resources/read': ask => {
    const { uri, at, _meta } = ask.message.params;
    const text = JSON.stringify([uri, at, _meta['com.example/at']]);
    ask.result({ contents: [{ uri, text }], ttlMs: 60_000, cacheScope: 'private' });
  },
});

describe('the cache', () => {
  // covers: 2026-07-28/caching/same-request-only
  it.each([
    ['URLs', { uri: new URL('file:///a') }, { uri: new URL('file:///b') }],
    ['dates', { uri: 'x:1', at: new Date(1) }, { uri: 'x:1', at: new Date(2) }],
    [
      'objects with a toJSON',
      { uri: 'x:1', at: { toJSON: () => 1 } },
      { uri: 'x:1', at: { toJSON: () => 2 } },
    ],
    ['dates in _meta', withMeta(new Date(1)), withMeta(new Date(2))],
  ])(
    'does not mistake one request for another because of the form of its values: %s',
    async (_, one, two) => {
      const { client, server } = await pair(reading);
      const first = await client.request('resources/read', one);
      expect(await client.request('resources/read', two)).not.toEqual(first);
      expect(server.of('resources/read')).toHaveLength(2);
      expect(await client.request('resources/read', one)).toEqual(first);
      expect(server.of('resources/read')).toHaveLength(2);
    },
  );

  it('has one entry for a resource that is named by a string and by a URL', async () => {
    const { client, server } = await pair(reading);
    const read = await client.readResource(new URL('file:///a'));
    expect(read.contents[0]).toMatchObject({ uri: 'file:///a' });
    expect(await client.readResource('file:///a')).toEqual(read);
    expect(server.of('resources/read')).toHaveLength(1);
  });
});

function withMeta(at: Date) {
  return { uri: 'x:1', _meta: { 'com.example/at': at } };
}

describe('the headers that mirror a request', () => {
  const inputSchema = {
    type: 'object',
    properties: {
      day: { type: 'string', 'x-mcp-header': 'Day' },
      count: { type: 'integer', 'x-mcp-header': 'Count' },
      dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
    },
  };
  const tool = modern({
    'tools/list': ask => ask.result({ tools: [{ name: 'x', inputSchema }] }),
    'tools/call': ask => ask.text('done'),
    'resources/read': ask => ask.result({ contents: [] }),
  });

  function mirrored({ request }: Ask): object {
    return Object.fromEntries(Object.entries(request.headers).filter(([name]) => /^mcp-param-/.test(name)));
  }

  // covers: 2026-07-28/streamable-http/value-has-a-header, 2026-07-28/streamable-http/null-has-no-header
  it.each<[string, Record<string, unknown>, object]>([
    ['a date', { day: new Date(0) }, { 'mcp-param-day': '1970-01-01T00:00:00.000Z' }],
    ['a value with a toJSON', { day: { toJSON: () => 'today' } }, { 'mcp-param-day': 'today' }],
    ['an object for a boolean', { dry: Object(false) }, { 'mcp-param-dry': 'false' }],
    ['NaN, which JSON has as null', { count: Number.NaN }, {}],
    ['a fraction', { count: 1.5 }, { 'mcp-param-count': '1.5' }],
  ])('have the values that the body has: %s', async (_, args, headers) => {
    const { client, server } = await pair(tool);
    await client.callTool('x', args);
    const [call] = server.of('tools/call');
    expect(call!.message.params.arguments).toEqual(JSON.parse(JSON.stringify(args)));
    expect(mirrored(call!)).toEqual(headers);
  });

  // covers: 2026-07-28/streamable-http/standard-headers
  it('name a resource that was given as a URL', async () => {
    const { client, server } = await pair(tool);
    await client.request('resources/read', { uri: new URL('file:///b') });
    expect(server.of('resources/read')[0]!.request.headers['mcp-name']).toBe('file:///b');
  });
});

describe('the rounds of a call', () => {
  const form = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
  const question = { method: 'elicitation/create', params: { message: 'How many?', requestedSchema: form } };
  const asking = modern({
    'tools/list': ask => ask.result({ tools: [] }),
    'tools/call': ask => {
      if (ask.message.params.inputResponses) return ask.text('done');
      ask.result({ resultType: 'input_required', inputRequests: { q: question }, requestState: 's' });
    },
  });

  it('have the arguments of the first, whatever the application does with its object', async () => {
    const args = { a: 1, list: [1] };
    const onElicit = () => {
      args.a = 2;
      args.list.push(2);
      return { action: 'accept' as const, content: { n: 1 } };
    };
    const { client, server } = await pair(asking, { onElicit });
    const called = client.callTool('x', args);
    args.a = 3;
    await called;
    const sent = server.of('tools/call').map(({ message }) => message.params.arguments);
    expect(sent).toEqual([
      { a: 1, list: [1] },
      { a: 1, list: [1] },
    ]);
  });

  it('have the arguments that a request was held with when it was resumed', async () => {
    const { client, server } = await pair(asking, { capabilities: { elicitation: {} } });
    const { held } = await client.begin('tools/call', { name: 'x', arguments: { a: 1 } });
    const answer = { action: 'accept' as const, content: { n: 1 } };
    const resumed = client.resume(held!, { q: answer });
    (held!.params.arguments as { a: number }).a = 2;
    answer.content.n = 2;
    await resumed;
    expect(server.of('tools/call')[1]!.message.params).toMatchObject({
      arguments: { a: 1 },
      inputResponses: { q: { content: { n: 1 } } },
    });
  });

  // covers: 2026-07-28/elicitation/client-validates-answers
  it.each([Number.NaN, Number.POSITIVE_INFINITY])('have no answer that JSON turns into null: %s', async n => {
    const onElicit = () => ({ action: 'accept' as const, content: { n } });
    const { client, server } = await pair(asking, { onElicit });
    await expect(client.callTool('x')).rejects.toThrow('its field "n" must be a string, a number');
    const { held } = await client.begin('tools/call', { name: 'x' });
    const resumed = client.resume(held!, { q: onElicit() });
    await expect(resumed).rejects.toThrow('its field "n" must be a string, a number');
    expect(server.of('tools/call')).toHaveLength(2);
  });
});
