import { describe, expect, it } from 'vitest';
import { connectRaw } from '../../../test/raw-client.js';
import type { JsonObject } from '../../base/json.js';
import { Server } from '../server.js';

const TEXT = { type: 'text', text: 'Soup' };
const BAD_BLOCKS: [string, unknown, string][] = [
  ['a block without its data', { type: 'image' }, 'not a'],
  ['a block of an unknown type', { type: 'video', data: '' }, 'not a'],
  [
    'data that is not base64',
    { type: 'image', data: 'data:image/png;base64,AAAA', mimeType: 'image/png' },
    'base64',
  ],
  ['base64url', { type: 'audio', data: 'ab-_', mimeType: 'audio/wav' }, 'base64'],
  ['a link that is no URI', { type: 'resource_link', uri: 'soup of today', name: 'Soup' }, 'not a URI'],
  ['a resource that is no URI', { type: 'resource', resource: { uri: 'soup', text: '' } }, 'not a URI'],
  [
    'a resource without contents',
    { type: 'resource', resource: { uri: 'menu://a' } },
    'without a text or a blob',
  ],
  ['a MIME type that is none', { type: 'image', data: 'aGk=', mimeType: 'nonsense' }, 'mimeType'],
  ['an empty MIME type', { type: 'audio', data: 'aGk=', mimeType: '' }, 'mimeType'],
  [
    'a resource with a wrong MIME type',
    { type: 'resource', resource: { uri: 'menu://a', text: '', mimeType: 'text' } },
    'mimeType',
  ],
  [
    'a resource with text and blob',
    { type: 'resource', resource: { uri: 'menu://a', text: '', blob: '' } },
    'with both a text and a blob',
  ],
  ['a link with a wrong size', { type: 'resource_link', uri: 'menu://a', name: 'a', size: -1.5 }, 'size'],
  ['a link with a space', { type: 'resource_link', uri: 'menu://a b', name: 'a' }, 'not a URI'],
  ['a time that is none', { ...TEXT, annotations: { lastModified: 'yesterday' } }, 'lastModified'],
  ['a priority of 5', { ...TEXT, annotations: { priority: 5 } }, 'priority is not a number from 0 to 1'],
  ['an unknown audience', { ...TEXT, annotations: { audience: ['cook'] } }, 'audience'],
  ['a malformed key', { ...TEXT, _meta: { '/a': 1 } }, 'malformed key "/a"'],
];

describe.each(['2025-06-18', '2026-07-28'])('on %s', revision => {
  async function run(returned: unknown): Promise<{ results: JsonObject[]; reported: string[] }> {
    const reported: string[] = [];
    const onError = (error: unknown) => reported.push((error as Error).message);
    const server = new Server({ name: 'bistro', version: '1.0.0' }, { onError });
    server.tool('tool', {}, () => ({ content: [returned] }) as never);
    server.tool('bare', {}, () => returned as never);
    server.prompt('prompt', {}, () => ({ messages: [{ role: 'user', content: returned }] }) as never);
    const client = await connectRaw(server, { revision });
    const results = await Promise.all([
      client.request('tools/call', { name: 'tool' }),
      client.request('tools/call', { name: 'bare' }),
      client.request('prompts/get', { name: 'prompt' }).catch(error => ({ isError: true, error })),
    ]);
    return { results, reported };
  }

  // covers: 2025-06-18/prompts/audio-is-base64-with-a-type, 2025-06-18/prompts/embedded-resource-is-complete
  // covers: 2025-06-18/prompts/image-is-base64-with-a-type
  // covers: 2026-07-28/prompts/audio-is-base64, 2026-07-28/prompts/embedded-resources-are-complete
  // covers: 2026-07-28/prompts/images-are-base64
  it.each(BAD_BLOCKS)(
    'a full result with %s is refused, and the author is told',
    async (_, block, problem) => {
      const { results, reported } = await run(block);
      expect(results).toMatchObject([{ isError: true }, { isError: true }, { isError: true }]);
      expect(reported).toHaveLength(3);
      for (const message of reported) expect(message).toContain(problem);
    },
  );

  it('a full result with good blocks goes out, and texts become blocks', async () => {
    const server = new Server({ name: 'bistro', version: '1.0.0' });
    const block = {
      ...TEXT,
      annotations: { priority: 1, audience: ['user'] },
      _meta: { 'com.example/a': 1 },
    };
    server.tool('tool', {}, () => ({ content: ['Pie', block], isError: false }) as never);
    const { content } = await (await connectRaw(server, { revision })).request('tools/call', {
      name: 'tool',
    });
    expect(content).toEqual([{ type: 'text', text: 'Pie' }, block]);
  });

  it('the keys of the protocol in _meta are left out', async () => {
    const server = new Server({ name: 'bistro', version: '1.0.0' });
    const _meta = { 'io.modelcontextprotocol/serverInfo': { name: 'other' }, 'com.example/a': 1 };
    server.tool('tool', {}, () => ({ content: [], _meta }));
    server.prompt('prompt', {}, () => ({ messages: [], _meta }));
    server.resource('menu://a', {}, () => ({ contents: [], _meta }));
    const client = await connectRaw(server, { revision });
    for (const result of [
      await client.request('tools/call', { name: 'tool' }),
      await client.request('prompts/get', { name: 'prompt' }),
      await client.request('resources/read', { uri: 'menu://a' }),
    ]) {
      const { 'io.modelcontextprotocol/serverInfo': info, ...rest } = result._meta as JsonObject;
      expect(rest).toEqual({ 'com.example/a': 1 });
      expect(info).toEqual(revision === '2026-07-28' ? { name: 'bistro', version: '1.0.0' } : undefined);
    }
  });

  it.each([
    ['a URI that is none', { uri: 'soup', text: 'Soup' }],
    ['a blob that is not base64', { blob: '???' }],
  ])('contents of a resource with %s are refused, and the author is told', async (_, contents) => {
    const reported: string[] = [];
    const onError = (error: unknown) => reported.push((error as Error).message);
    const server = new Server({ name: 'bistro', version: '1.0.0' }, { onError });
    server.resource('menu://a', {}, () => contents);
    const client = await connectRaw(server, { revision });
    await expect(client.request('resources/read', { uri: 'menu://a' })).rejects.toThrow('internal error');
    expect(reported).toEqual([expect.stringContaining('resource "menu://a" returned contents whose')]);
  });
});

it('refuses annotations of a resource that are wrong when it is registered', () => {
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  expect(() => server.resource('menu://a', { annotations: { priority: 5 } }, () => '')).toThrow(
    'resource "menu://a" is a resource whose priority is not a number from 0 to 1',
  );
});
