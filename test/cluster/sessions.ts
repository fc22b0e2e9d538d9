import { describe, expect, it } from 'vitest';
import { listen } from '../../src/node/server/listen.js';
import type { Cluster } from '../../src/server/cluster/cluster.js';
import { Server, type ServerOptions } from '../../src/server/index.js';
import { gate } from '../tasks/studio.js';
import { CutCluster } from './cut.js';
import { afterTest, type Node, type OpenStore, startNodes } from './nodes.js';
import { HandshakeClient } from './wire.js';

/** The state of a session, and its end, are the same on all nodes. */
export function describeSessions(open: OpenStore): void {
  const start = async (options = {}) => {
    const cuts: CutCluster[] = [];
    const nodes = await startNodes(open, 3, log => bistro(log), {
      wrap: own => {
        const cut = new CutCluster(own);
        cuts.push(cut);
        return cut.cluster;
      },
      ...options,
    });
    const [a, b, c] = nodes.map(({ running }) => running.url) as [string, string, string];
    return { a, b, c, nodes, cuts };
  };

  describe('a session', () => {
    it('ends on all nodes', async () => {
      const { a, b, c } = await start();
      const client = await HandshakeClient.open(a);
      for (const url of [a, b]) expect(await client.text(url, 'greet')).toBe('Hello');
      const stream = await client.get(c);
      expect((await client.delete(b)).status).toBe(204);
      expect(await stream.next()).toBeUndefined();
      for (const url of [a, b, c]) await until(async () => (await client.post(url, PING)).status === 404);
    });

    it('that was ended is unknown to a node that sees it for the first time', async () => {
      const { a, b, c } = await start();
      const client = await HandshakeClient.open(a);
      await client.delete(b);
      expect((await client.post(c, PING)).status).toBe(404);
    });

    it('ends at the other doors of its node', async () => {
      const { a, nodes } = await start();
      const [{ server, cluster, keys }] = nodes as [Node];
      const door = await listen(server, { port: 0, keys, cluster });
      afterTest(() => door.close(0));
      const client = await HandshakeClient.open(a);
      for (const url of [a, door.url]) expect(await client.text(url, 'greet')).toBe('Hello');
      await client.delete(a);
      expect((await client.post(door.url, PING)).status).toBe(404);
    });

    it('aborts its calls on all nodes when it ends', async () => {
      const { a, b } = await start();
      const client = await HandshakeClient.open(a);
      const events = await client.request(a, 'tools/call', { name: 'wait', arguments: {} });
      await events.nextOf('notifications/message');
      await client.delete(b);
      expect(await events.next()).toBeUndefined();
    });

    it('has the same log level on all nodes', async () => {
      const { a, b, c } = await start();
      const client = await HandshakeClient.open(a);
      await client.text(c, 'greet');
      await client.call(b, 'logging/setLevel', { level: 'error' });
      // The first one has not seen the session before.
      expect(await levelsAt(client, a)).toEqual(['error']);
      await until(async () => (await levelsAt(client, c)).length === 1);
    });

    it('has the same subscriptions on all nodes', async () => {
      const { a, b, c, nodes } = await start();
      const client = await HandshakeClient.open(a);
      const stream = await client.get(c);
      await client.call(a, 'resources/subscribe', { uri: 'menu://today' });
      await client.call(b, 'resources/subscribe', { uri: 'menu://monday' });
      await client.call(a, 'resources/unsubscribe', { uri: 'menu://today' });
      const told = await retold(stream, () => nodes[1]?.server.resourceChanged('menu://monday'));
      expect(told.params?.uri).toBe('menu://monday');
    });

    it('is told of a change right after it has subscribed, also by a node that reads the store slowly', async () => {
      const { a, c, nodes } = await start({
        wrap: (own: Cluster, at: number) => {
          const { cluster } = new CutCluster(own);
          return at === 2 ? { ...cluster, read: (key: string) => later(() => cluster.read(key)) } : cluster;
        },
      });
      const client = await HandshakeClient.open(a);
      const stream = await client.get(c);
      await client.call(a, 'resources/subscribe', { uri: 'menu://today' });
      nodes[1]?.server.resourceChanged('menu://today');
      nodes[1]?.server.listChanged('tools');
      expect((await stream.next())?.method).toBe('notifications/resources/updated');
    });

    it('keeps a subscription that is made while an older state of the session is read', async () => {
      const held = { isArmed: false, reading: gate(), released: gate() };
      const { a, b, c, nodes } = await start({
        wrap: (own: Cluster, at: number) => {
          const { cluster } = new CutCluster(own);
          const read = async (key: string) => {
            const found = await cluster.read(key);
            if (!held.isArmed) return found;
            held.isArmed = false;
            held.reading.open();
            await held.released.opened;
            return found;
          };
          return at === 2 ? { ...cluster, read } : cluster;
        },
      });
      const client = await HandshakeClient.open(a);
      const stream = await client.get(c);
      await client.call(b, 'resources/subscribe', { uri: 'menu://today' });
      held.isArmed = true;
      const unsubscribed = client.call(b, 'resources/unsubscribe', { uri: 'menu://today' });
      await held.reading.opened;
      await client.call(c, 'resources/subscribe', { uri: 'menu://monday' });
      held.released.open();
      await unsubscribed;
      nodes[1]?.server.resourceChanged('menu://monday');
      nodes[1]?.server.listChanged('tools');
      expect((await stream.next())?.method).toBe('notifications/resources/updated');
    });

    it('is told at another node that its user has finished on a page', async () => {
      const { a, b, c, nodes } = await start();
      const client = await HandshakeClient.open(a, { capabilities: { elicitation: { url: {} } } });
      const stream = await client.get(b);
      const events = await client.request(a, 'tools/call', { name: 'sign in', arguments: {} });
      const [question] = await events.until(({ method }) => method === 'elicitation/create');
      const elicitationId = question?.params?.elicitationId as string;
      await client.post(c, { id: question?.id as string, result: { action: 'accept' } });
      const told = await retold(stream, () => nodes[2]?.server.elicitationCompleted(elicitationId));
      expect(told).toMatchObject({
        method: 'notifications/elicitation/complete',
        params: { elicitationId },
      });
    });
  });

  describe('the values of a session', () => {
    it('go with it from node to node', async () => {
      const { a, b, c } = await start();
      const client = await HandshakeClient.open(a);
      const counts: string[] = [];
      for (const url of [a, b, c, a, b, c]) counts.push(await client.text(url, 'count'));
      expect(counts).toEqual(['1', '2', '3', '4', '5', '6']);
    });

    it('are merged, each by its name, when two nodes change them at once', async () => {
      const { a, b, c } = await start();
      const client = await HandshakeClient.open(a);
      const names = Array.from({ length: 10 }, (_, at) => `dish ${at}`);
      await Promise.all(names.map((name, at) => client.text(at % 2 ? a : b, 'note', { name })));
      expect(JSON.parse(await client.text(c, 'notes')).sort()).toEqual(names);
    });

    it('that JSON cannot carry stay on their node, which says so', async () => {
      const { a, b, nodes } = await start();
      const client = await HandshakeClient.open(a);
      await client.text(a, 'keep a function');
      expect(await client.text(a, 'notes')).toBe('["function"]');
      expect(await client.text(b, 'notes')).toBe('[]');
      expect(nodes.flatMap(({ warnings }) => warnings).join()).toContain(
        'the value "function" of a session is no JSON',
      );
    });
  });

  describe('without the store', () => {
    it('a session that a node knows goes on, and a request that changes it can be repeated', async () => {
      const { a, b, cuts } = await start();
      const client = await HandshakeClient.open(a);
      for (const url of [a, b]) await client.text(url, 'greet');
      for (const cut of cuts) cut.cut();
      for (const url of [a, b]) expect(await client.text(url, 'greet')).toBe('Hello');
      const refused = await client.call(b, 'logging/setLevel', { level: 'error' });
      expect(refused.error).toMatchObject({ code: -31503, data: { retryAfterMs: 2000 } });
      expect((await client.delete(a)).status).toBe(503);
      for (const cut of cuts) cut.mend();
      expect(await client.text(a, 'greet')).toBe('Hello');
      expect((await client.call(b, 'logging/setLevel', { level: 'error' })).result).toEqual({});
      await until(async () => (await levelsAt(client, a)).length === 1);
    });

    it('a session that is new to a node is refused until the store is back', async () => {
      const { a, b, cuts } = await start();
      const client = await HandshakeClient.open(a);
      cuts[1]?.cut();
      const refused = await client.post(b, PING);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '2']);
      cuts[1]?.mend();
      expect((await client.post(b, PING)).status).toBe(200);
    });
  });

  it('a plain call does not use the store', async () => {
    const { a, b, cuts } = await start();
    const client = await HandshakeClient.open(a);
    for (const url of [a, b]) await client.text(url, 'greet');
    const before = cuts.map(({ uses }) => uses);
    for (let at = 0; at < 20; at++) await client.text(at % 2 ? a : b, 'greet');
    expect(cuts.map(({ uses }) => uses)).toEqual(before);
  });
}

const PING = { id: 'ping', method: 'ping' };

/** Tries until something holds that nodes tell each other a moment later. */
async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds()));
}

async function later<T>(work: () => Promise<T>): Promise<T> {
  await new Promise(resolve => setTimeout(resolve, 100));
  return work();
}

/** The next notice of a stream; what causes it is repeated, since a node may hear of it before it hears of the session. */
async function retold(stream: Awaited<ReturnType<HandshakeClient['get']>>, cause: () => void) {
  const timer = setInterval(cause, 50);
  try {
    return (await stream.next()) as { method?: string; params?: Record<string, unknown> };
  } finally {
    clearInterval(timer);
  }
}

async function levelsAt(client: HandshakeClient, url: string): Promise<string[]> {
  const events = await client.request(url, 'tools/call', { name: 'log', arguments: {} });
  const messages = await events.until(({ result }) => result !== undefined);
  return messages.flatMap(({ params }) => (params ? [params.level] : []));
}

function bistro(log: ServerOptions): Server {
  const server = new Server({ name: 'bistro', version: '1.0.0' }, log);
  server.resource('menu://{day}', {}, ({ day }) => String(day));
  server.tool('greet', {}, () => 'Hello');
  server.tool('log', {}, (_, ctx) => {
    ctx.log.info('one');
    ctx.log.error('two');
    return 'logged';
  });
  server.tool('wait', {}, async (_, ctx) => {
    ctx.log.info('waiting');
    await new Promise(resolve => ctx.signal.addEventListener('abort', resolve));
    return 'never';
  });
  server.tool('count', {}, (_, { session }) => {
    const count = Number(session?.values.get('count') ?? 0) + 1;
    session?.values.set('count', count);
    return String(count);
  });
  server.tool(
    'note',
    { input: { type: 'object', properties: { name: { type: 'string' } } } },
    (input, ctx) => {
      const { name } = input as { name: string };
      ctx.session?.values.set(name, true);
      return name;
    },
  );
  server.tool('notes', {}, (_, { session }) => JSON.stringify([...(session?.values.keys() ?? [])]));
  server.tool('keep a function', {}, (_, { session }) => {
    session?.values.set('function', () => 'soup');
    return 'kept';
  });
  server.tool('sign in', {}, async (_, ctx) => {
    await ctx.elicitUrl('Please sign in', 'https://example.com/sign-in');
    await new Promise(resolve => ctx.signal.addEventListener('abort', resolve));
    return 'signed in';
  });
  return server;
}
