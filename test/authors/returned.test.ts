import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Server } from '../../src/server/index.js';
import { LegacyClient } from '../http/legacy-client.js';
import { ModernClient } from '../http/modern-client.js';
import { serve } from '../http/serve.js';

const INFO = { name: 'bistro', version: '1.0.0' };

async function open(add: (server: Server) => void) {
  const reported: string[] = [];
  const server = new Server(INFO, { onError: error => reported.push((error as Error).message) });
  add(server);
  const { url } = await serve(server);
  return { client: new ModernClient(url), old: await LegacyClient.open(url), reported };
}

describe('a completer that returns', () => {
  // covers: 2025-06-18/completion/internal-error
  it.each([
    ['numbers', () => [1, 2]],
    ['a list of numbers', [1, 2]],
    ['a negative total', () => ({ values: ['a'], total: -1 })],
    ['a broken total', () => ({ values: ['a'], total: 1.5 })],
    ['no list', () => ({ values: 'a' })],
    ['nothing', () => undefined],
    ['null', () => null],
    ['a text', () => 'a'],
  ])('%s fails the request, and is reported', async (_, completer) => {
    const { old, client, reported } = await open(server =>
      server.prompt(
        'order',
        { input: z.object({ dish: z.string() }), complete: { dish: completer as never } },
        () => '',
      ),
    );
    const params = { ref: { type: 'ref/prompt', name: 'order' }, argument: { name: 'dish', value: '' } };
    for (const someone of [old, client]) {
      const { error } = await someone.request('completion/complete', params);
      expect(error).toEqual({ code: -32603, message: 'internal error' });
    }
    expect(reported[0]).toContain('the completer of "dish" must return a list of texts');
  });
});

describe('a resource cannot be registered with', () => {
  it.each([
    ['a broken size', { size: 1.5 }, 'size'],
    ['a negative size', { size: -1 }, 'size'],
    ['a time that is none', { annotations: { lastModified: 'yesterday' } }, 'lastModified'],
    ['a day that is none', { annotations: { lastModified: '2025-02-30T00:00:00Z' } }, 'lastModified'],
    ['a MIME type that is none', { mimeType: 'nonsense' }, 'mimeType'],
  ])('%s', (_, options, problem) => {
    expect(() => new Server(INFO).resource('menu://a', options, () => '')).toThrow(
      `resource "menu://a" is a resource whose ${problem}`,
    );
  });
});

it.each([
  ['nothing', () => undefined],
  ['a text', () => 'soup'],
  ['a list', () => []],
])('a method that returns %s fails the request, and its author is told', async (_, handler) => {
  const { client, old, reported } = await open(server => server.method('acme/search', handler as never));
  for (const someone of [old, client]) {
    expect((await someone.request('acme/search')).error).toEqual({ code: -32603, message: 'internal error' });
  }
  const problem =
    'method "acme/search" returned something that is not an object: return an object, such as {}';
  expect(reported).toEqual([problem, problem]);
});

it('a malformed key in the _meta of a method fails the request, and keys of the protocol are left out', async () => {
  const { client, reported } = await open(server => {
    server.method('acme/bad', () => ({ _meta: { 'bad key!': 1 } }));
    server.method('acme/good', () => ({
      _meta: {
        'com.example/table': 1,
        'io.modelcontextprotocol/serverInfo': { name: 'other', version: '1' },
      },
    }));
  });
  expect((await client.request('acme/bad')).error?.code).toBe(-32603);
  expect(reported).toEqual([expect.stringContaining('malformed key "bad key!" in _meta')]);
  expect((await client.request('acme/good')).result._meta).toEqual({
    'com.example/table': 1,
    'io.modelcontextprotocol/serverInfo': INFO,
  });
});

// covers: 2025-06-18/prompts/embedded-resource-is-complete, 2026-07-28/prompts/embedded-resources-are-complete
it.each([
  [{ uri: 'menu://a', text: 'Soup' }, 'text/plain'],
  [{ uri: 'menu://a', blob: 'aGk=' }, 'application/octet-stream'],
  [{ uri: 'menu://a', text: '# Soup', mimeType: 'text/markdown' }, 'text/markdown'],
])('a resource in a prompt has a MIME type: %j', async (resource, mimeType) => {
  const { client } = await open(server =>
    server.prompt('order', {}, () => ({ type: 'resource', resource }) as const),
  );
  const { result } = await client.request('prompts/get', { name: 'order' });
  expect(result.messages[0].content.resource).toEqual({ ...resource, mimeType });
});

// covers: 2025-06-18/tools/inputs-are-validated, 2026-07-28/tools/inputs-are-validated
it('a tool without input refuses arguments, as its listed schema says', async () => {
  const { client, old } = await open(server => server.tool('greet', {}, () => 'Hello'));
  const text = 'tool "greet" takes no arguments, but was called with "loud"';
  const { result } = await client.call('greet', { loud: true });
  expect(result).toMatchObject({ content: [{ type: 'text', text }], isError: true });
  expect((await old.call('greet', { loud: true })).error).toEqual({ code: -32602, message: text });
});
