import { describe, expect, it } from 'vitest';
import { Server } from '../../src/server/index.js';
import { LegacyClient } from '../http/legacy-client.js';
import { ModernClient } from '../http/modern-client.js';
import { serve } from '../http/serve.js';
import { SseClient } from '../http/sse-client.js';

const SECRET = 'note://secret';
const OPEN = 'note://open';

type Rule = () => boolean | Promise<boolean>;

/** Takes the URIs of the resources of which a client is told. */
interface Listener {
  next(): Promise<unknown>;
}

/** A server with a resource whose rule can change, and one that is open to everybody. */
async function open(options: { hidden?: 'unless-allowed' } = {}) {
  const reported: unknown[] = [];
  const server = new Server({ name: 'notes', version: '1' }, { onError: error => reported.push(error) });
  let rule: Rule = () => true;
  server.resource(SECRET, { authorize: () => rule(), hidden: options.hidden }, () => 'secret');
  server.resource(OPEN, {}, () => 'open');
  const authenticate = () => ({ principal: 'ada' });
  const { url } = await serve(server, { authenticate, sse: true });
  return {
    server,
    url,
    reported,
    setRule: (changed: Rule) => {
      rule = changed;
    },
  };
}

const LISTENERS: [string, (url: string, uris: string[]) => Promise<Listener>][] = [
  [
    'a listen stream',
    async (url, uris) => {
      const stream = await new ModernClient(url).listen({ resourceSubscriptions: uris });
      expect((await stream.message()).params.notifications.resourceSubscriptions).toEqual(uris);
      return { next: async () => (await stream.message()).params.uri };
    },
  ],
  [
    'the GET stream of a session',
    async (url, uris) => {
      const client = await LegacyClient.open(url);
      for (const uri of uris) await client.request('resources/subscribe', { uri });
      const stream = await client.notices();
      return { next: async () => (await stream.message()).params.uri };
    },
  ],
  [
    'an HTTP+SSE stream',
    async (url, uris) => {
      const client = await SseClient.open(new URL('/sse', url).href);
      for (const uri of uris) {
        await client.post({ jsonrpc: '2.0', id: uri, method: 'resources/subscribe', params: { uri } });
        expect((await client.stream.message()).result).toEqual({});
      }
      return { next: async () => (await client.stream.message()).params.uri };
    },
  ],
];

describe.each(LISTENERS)('%s', (_, listenTo) => {
  it.each([undefined, 'unless-allowed'] as const)(
    'tells nothing more of a resource when the caller may no longer use it (hidden: %s)',
    async hidden => {
      const { server, url, setRule } = await open({ ...(hidden && { hidden }) });
      const listener = await listenTo(url, [SECRET, OPEN]);
      server.resourceChanged(SECRET);
      expect(await listener.next()).toBe(SECRET);
      setRule(() => false);
      server.resourceChanged(SECRET);
      server.resourceChanged(OPEN);
      expect(await listener.next()).toBe(OPEN);
      setRule(() => true);
      server.resourceChanged(SECRET);
      expect(await listener.next()).toBe(SECRET);
    },
  );

  it('tells of a resource when a rule that takes its time has allowed it', async () => {
    const { server, url, setRule } = await open();
    const listener = await listenTo(url, [SECRET]);
    setRule(() => new Promise(resolve => setImmediate(resolve, true)));
    server.resourceChanged(SECRET);
    expect(await listener.next()).toBe(SECRET);
  });

  it('tells nothing of a part of a resource that the caller may no longer use', async () => {
    const { server, url, setRule } = await open();
    const listener = await listenTo(url, [SECRET, OPEN]);
    server.resourceChanged(`${SECRET}/page`);
    expect(await listener.next()).toBe(`${SECRET}/page`);
    setRule(() => false);
    server.resourceChanged(`${SECRET}/page`);
    server.resourceChanged(OPEN);
    expect(await listener.next()).toBe(OPEN);
  });

  it('tells nothing of a resource whose rule fails, and reports the failure', async () => {
    const { server, url, reported, setRule } = await open();
    const listener = await listenTo(url, [SECRET, OPEN]);
    setRule(() => {
      throw new Error('no database');
    });
    server.resourceChanged(SECRET);
    server.resourceChanged(OPEN);
    expect(await listener.next()).toBe(OPEN);
    expect(reported).toEqual([new Error('no database')]);
  });
});
