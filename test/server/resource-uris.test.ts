import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../src/base/json.js';
import { ERROR } from '../../src/protocol/errors.js';
import { MAX_SUBSCRIBED_LENGTH, MAX_URI_LENGTH } from '../../src/protocol/resource-uri.js';
import { Server } from '../../src/server/server.js';
import { connectRaw } from '../raw-client.js';

const LEGACY = '2025-11-25';
const MODERN = '2026-07-28';
const LONG = `menu://${'a'.repeat(MAX_URI_LENGTH)}`;

function serve(): Server {
  const server = new Server({ name: 'bistro', version: '1.0.0' });
  server.resource('menu://{+day}', { complete: { day: ['friday'] } }, ({ day }) => day);
  server.resource('secret://{day}', { scopes: ['secrets'] }, ({ day }) => day);
  return server;
}

describe('a URI that is longer than the limit', () => {
  it.each<[string, string, JsonObject]>([
    [LEGACY, 'resources/read', { uri: LONG }],
    [MODERN, 'resources/read', { uri: LONG }],
    [LEGACY, 'resources/subscribe', { uri: LONG }],
    [LEGACY, 'resources/unsubscribe', { uri: LONG }],
    [MODERN, 'subscriptions/listen', { notifications: { resourceSubscriptions: ['menu://a', LONG] } }],
    ...[LEGACY, MODERN].map((revision): [string, string, JsonObject] => [
      revision,
      'completion/complete',
      { ref: { type: 'ref/resource', uri: LONG }, argument: { name: 'day', value: '' } },
    ]),
  ])('is refused on %s by %s', async (revision, method, params) => {
    const client = await connectRaw(serve(), { revision });
    await expect(client.request(method, params)).rejects.toMatchObject({
      code: ERROR.invalidParams,
      message: expect.stringMatching(/^a URI may have 4096 characters, but this one has \d+$/),
    });
  });

  it('cannot be registered', () => {
    expect(() => serve().resource(LONG, {}, () => '')).toThrow('a URI may have 4096 characters');
  });
});

// covers: 2025-06-18/resources/custom-schemes-follow-rfc-3986
it.each(['1x://{a}', 'my_scheme://{a}', '://{a}'])(
  'refuses the template %s, whose scheme is invalid',
  template => {
    expect(() => serve().resource(template, {}, () => '')).toThrow(`"${template}" is not a URI`);
  },
);

it.each(['x1+a.b-c://{a}', 'menu{+rest}', '{+uri}'])('accepts the template %s', template => {
  expect(() => serve().resource(template, {}, () => '')).not.toThrow();
});

it('reads a URI of the largest length', async () => {
  const uri = LONG.slice(0, MAX_URI_LENGTH);
  const client = await connectRaw(serve());
  expect(await client.request('resources/read', { uri })).toMatchObject({ contents: [{ uri }] });
});

it('refuses to listen to more resources than a session may subscribe to', async () => {
  const uris = Array.from({ length: MAX_SUBSCRIBED_LENGTH / 16 }, (_, at) => `menu://${at + 1_000_000_000}`);
  const client = await connectRaw(serve());
  const listening = client.request('subscriptions/listen', {
    notifications: { resourceSubscriptions: uris },
  });
  await expect(listening).rejects.toMatchObject({
    code: ERROR.invalidParams,
    message: expect.stringContaining('too many subscriptions'),
  });
});

// covers: 2025-06-18/completion/inputs-are-validated
it.each([LEGACY, MODERN])('refuses to complete an argument that does not exist on %s', async revision => {
  const server = serve();
  server.prompt('order', { input: z.object({ dish: z.string() }) }, () => '');
  const client = await connectRaw(server, { revision });
  const complete = (ref: JsonObject, name: string) =>
    client.request('completion/complete', { ref, argument: { name, value: '' } });
  const order = { type: 'ref/prompt', name: 'order' };
  const none = { completion: { values: [], total: 0, hasMore: false } };
  expect(await complete(order, 'dish')).toMatchObject(none);
  for (const ref of [order, { type: 'ref/resource', uri: 'menu://{+day}' }])
    await expect(complete(ref, 'guests')).rejects.toMatchObject({
      code: ERROR.invalidParams,
      message: 'unknown argument: guests',
    });
});
