import { describe, expect, it } from 'vitest';
import { Server } from '../../src/server/index.js';
import { LegacyClient } from '../http/legacy-client.js';
import { ModernClient } from '../http/modern-client.js';
import { serve } from '../http/serve.js';

const BAD = [
  'menu://a b',
  'menu://a\nb',
  'menu://a\u001b[31m',
  'menu://<a>"',
  'menu://%zz',
  'menu://café',
  'a:b c',
  'menu',
];

function bistro(): Server {
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  server.resource('menu://{day}', {}, ({ day }) => day);
  return server;
}

// covers: 2025-06-18/resources/uris-are-validated, 2026-07-28/resources/uris-are-validated
describe.each(BAD)('the text %j, which is not a URI,', uri => {
  it('cannot be registered', () => {
    expect(() => bistro().resource(uri, {}, () => 'x')).toThrow(`"${uri}" is not a URI`);
  });

  it('cannot be told of', () => {
    expect(() => bistro().resourceChanged(uri)).toThrow('resourceChanged needs the URI of a resource');
  });

  it('cannot be read or subscribed to in a session', async () => {
    const { url } = await serve(bistro());
    const client = await LegacyClient.open(url);
    for (const method of ['resources/read', 'resources/subscribe', 'resources/unsubscribe']) {
      const { error } = await client.request(method, { uri });
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('not a URI') });
    }
  });

  it('cannot be read or listened to with an envelope', async () => {
    const { url } = await serve(bistro());
    const client = new ModernClient(url);
    const encoded = `=?base64?${Buffer.from(uri).toString('base64')}?=`;
    const read = await client.request('resources/read', { uri }, { headers: { 'mcp-name': encoded } });
    expect(read.error).toMatchObject({ code: -32602, message: expect.stringContaining('not a URI') });
    const listened = await client.request('subscriptions/listen', {
      notifications: { resourceSubscriptions: [uri] },
    });
    expect(listened.error).toMatchObject({ code: -32602, message: expect.stringContaining('not a URI') });
  });
});

it('a URI with encoded characters reaches the handler decoded', async () => {
  const { url } = await serve(bistro());
  const { result } = await (await LegacyClient.open(url)).request('resources/read', {
    uri: 'menu://caf%C3%A9%20bar',
  });
  expect(result.contents[0].text).toBe('café bar');
});

it('a member that is not a URI is not listed', async () => {
  const server = new Server({ name: 'bistro', version: '1.0.0' }, { onError: () => {} });
  server.resource('menu://{day}', { list: () => ['menu://a b', 'menu://a'] }, ({ day }) => day);
  const { url } = await serve(server);
  const { result } = await new ModernClient(url).request('resources/list');
  expect(result.resources.map(({ uri }: any) => uri)).toEqual(['menu://a']);
});
