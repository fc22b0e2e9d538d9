import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { serveStdio } from '../../src/node/server/stdio/serve.js';
import type { Cluster } from '../../src/server/cluster/cluster.js';
import { extension, notice } from '../../src/server/extensions/index.js';
import { Server, type ServerOptions } from '../../src/server/index.js';
import { freshKeys } from '../keys.js';
import { CutCluster } from './cut.js';
import { afterTest, type Node, type NodeOptions, type OpenStore, startNodes } from './nodes.js';
import { HandshakeClient, listenAt } from './wire.js';

const ALL = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ['menu://today'],
};
const STOCK = 'com.example/stock';
const SOLD_OUT = 'notifications/com.example/sold-out';
/** Every client says who it is. */
const asUser: NodeOptions = {
  authenticate: ({ header }) => ({ principal: header('x-user') as string, scopes: [] }),
};

/** Changes on one node reach the streams of all nodes. */
export function describeChangeNotices(open: OpenStore): void {
  const start = (options = {}) => startNodes(open, 3, log => bistro(log), options);
  const urls = (nodes: readonly Node[]) =>
    nodes.map(({ running }) => running.url) as [string, string, string];

  describe('changes on another node', () => {
    it('reach listen streams, GET streams and pipes', async () => {
      const nodes = await start();
      const [, b, c] = urls(nodes);
      const listening = await listenAt(b, ALL);
      const client = await HandshakeClient.open(c);
      const stream = await client.get(c);
      const pipe = openPipe(nodes[2] as Node);
      await pipe.initialize();
      (nodes[0] as Node).server.tool('pie', {}, () => 'Pie');
      const method = 'notifications/tools/list_changed';
      expect((await listening.next())?.method).toBe(method);
      expect((await stream.next())?.method).toBe(method);
      expect((await pipe.next()).method).toBe(method);
    });

    it('reach those who subscribed to a resource', async () => {
      const nodes = await start();
      const [, b, c] = urls(nodes);
      const listening = await listenAt(b, ALL);
      const client = await HandshakeClient.open(c);
      const stream = await client.get(c);
      await client.call(c, 'resources/subscribe', { uri: 'menu://today' });
      (nodes[0] as Node).server.resourceChanged('menu://monday');
      (nodes[0] as Node).server.resourceChanged('menu://today');
      expect((await listening.next())?.params?.uri).toBe('menu://today');
      expect((await stream.next())?.params?.uri).toBe('menu://today');
    });

    it('carry the notices of extensions', async () => {
      const nodes = await start();
      const [, b] = urls(nodes);
      const capabilities = { extensions: { [STOCK]: {} } };
      const listening = await listenAt(b, { [STOCK]: ['soup'] }, { capabilities });
      (nodes[0] as Node).server.announce(SOLD_OUT, { dish: 'tea' });
      (nodes[0] as Node).server.announce(SOLD_OUT, { dish: 'soup' });
      expect((await listening.next())?.params).toMatchObject({ dish: 'soup' });
    });

    it('are merged into one notice per burst', async () => {
      const nodes = await start();
      const listening = await listenAt(urls(nodes)[2], ALL);
      for (let at = 0; at < 100; at++) (nodes[0] as Node).server.tool(`tool-${at}`, {}, () => '');
      const lists: (string | undefined)[] = [];
      (nodes[0] as Node).server.prompt('order', {}, () => 'Soup');
      const messages = await listening.until(({ method }) => method === 'notifications/prompts/list_changed');
      for (const { method } of messages) lists.push(method);
      expect(lists).toEqual(['notifications/tools/list_changed', 'notifications/prompts/list_changed']);
    });

    it('are told one by one if each is made when the one before was heard', async () => {
      const nodes = await start();
      const listening = await Promise.all(urls(nodes).map(url => listenAt(url, ALL)));
      for (let at = 0; at < 10; at++) {
        const uri = `menu://today/${at}`;
        (nodes[at % 3] as Node).server.resourceChanged(uri);
        for (const stream of listening) expect((await stream.next())?.params?.uri).toBe(uri);
      }
    });

    it('reach a principal, and nobody else', async () => {
      const nodes = await start(asUser);
      const [, b, c] = urls(nodes);
      const ada = await listenAt(b, ALL, { headers: { 'x-user': 'ada' } });
      const bob = await listenAt(c, ALL, { headers: { 'x-user': 'bob' } });
      (nodes[0] as Node).server.listChanged('tools', { principal: 'ada' });
      (nodes[0] as Node).server.listChanged('prompts');
      expect((await ada.next())?.method).toBe('notifications/tools/list_changed');
      expect((await bob.next())?.method).toBe('notifications/prompts/list_changed');
    });

    it('reach a session, and no other', async () => {
      const nodes = await start();
      const [a, b] = urls(nodes);
      const [client, other] = [await HandshakeClient.open(a), await HandshakeClient.open(a)];
      const [own, others] = [await client.get(b), await other.get(b)];
      await client.text(a, 'tell me');
      (nodes[0] as Node).server.listChanged('prompts');
      expect((await own.next())?.method).toBe('notifications/tools/list_changed');
      expect((await others.next())?.method).toBe('notifications/prompts/list_changed');
    });
  });

  describe('a node that was cut off', () => {
    it('tells its streams that everything may have changed', async () => {
      const cuts: CutCluster[] = [];
      const nodes = await start({ wrap: (own: Cluster) => cut(cuts, own) });
      const [, b] = urls(nodes);
      const listening = await listenAt(b, ALL);
      const client = await HandshakeClient.open(b);
      const stream = await client.get(b);
      await client.call(b, 'resources/subscribe', { uri: 'menu://today' });
      cuts[1]?.cut();
      (nodes[0] as Node).server.tool('pie', {}, () => 'Pie');
      cuts[1]?.mend();
      const everything = [
        'notifications/tools/list_changed',
        'notifications/prompts/list_changed',
        'notifications/resources/list_changed',
        'notifications/resources/updated',
      ];
      const isLast = ({ method }: { method?: string }) => method === everything.at(-1);
      expect((await listening.until(isLast)).map(({ method }) => method)).toEqual(everything);
      expect((await stream.until(isLast)).map(({ method }) => method)).toEqual(everything);
    });

    it('tells the others of its changes when it is back', async () => {
      const cuts: CutCluster[] = [];
      const nodes = await start({ wrap: (own: Cluster) => cut(cuts, own) });
      const listening = await listenAt(urls(nodes)[1], ALL);
      cuts[0]?.cut();
      (nodes[0] as Node).server.tool('pie', {}, () => 'Pie');
      const own = await listenAt(urls(nodes)[0], ALL);
      (nodes[0] as Node).server.prompt('order', {}, () => 'Soup');
      // Streams of its own need no store.
      expect((await own.nextOf('notifications/prompts/list_changed')).method).toBeDefined();
      cuts[0]?.mend();
      await listening.nextOf('notifications/tools/list_changed');
    });

    it('becomes one of them when the store was away at the start', async () => {
      const cuts: CutCluster[] = [];
      const nodes = await start({
        wrap: (own: Cluster, at: number) => {
          const cluster = cut(cuts, own);
          if (at === 1) cuts[1]?.cut();
          return cluster;
        },
      });
      const listening = await listenAt(urls(nodes)[1], ALL);
      cuts[1]?.mend();
      await listening.nextOf('notifications/tools/list_changed');
      (nodes[0] as Node).server.resourceChanged('menu://today/soup');
      const updated = () => listening.nextOf('notifications/resources/updated');
      // The first one is of the gap.
      while ((await updated()).params?.uri !== 'menu://today/soup');
    });
  });
}

function cut(cuts: CutCluster[], own: Cluster): Cluster {
  const connection = new CutCluster(own);
  cuts.push(connection);
  return connection.cluster;
}

function bistro(log: ServerOptions): Server {
  const stock = extension({
    id: STOCK,
    notices: {
      [STOCK]: notice(SOLD_OUT, {
        filter: z.array(z.string()),
        wants: (dishes, params) => dishes.includes(params.dish as string),
      }),
    },
  });
  const server = new Server({ name: 'bistro', version: '1.0.0' }, { ...log, extensions: [stock] });
  server.tool('tell me', {}, (_, ctx) => {
    if (ctx.session) server.listChanged('tools', { session: ctx.session });
    return 'told';
  });
  server.prompt('menu', {}, () => 'Soup');
  server.resource('menu://{+day}', {}, ({ day }) => String(day));
  return server;
}

/** A client on standard input and output of another process of the server. */
function openPipe({ cluster }: Node) {
  const [input, output] = [new PassThrough(), new PassThrough()];
  const server = bistro({});
  const running = serveStdio(server, { input, output, cluster, keys: freshKeys() });
  afterTest(() => running.close(0));
  const lines = output.setEncoding('utf8')[Symbol.asyncIterator]();
  let rest: string[] = [];
  const next = async (): Promise<Record<string, any>> => {
    while (rest.length === 0) {
      const { value } = await lines.next();
      rest = String(value).split('\n').filter(Boolean);
    }
    return JSON.parse(rest.shift() as string);
  };
  const send = (message: object) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  return {
    next,
    async initialize() {
      const clientInfo = { name: 'test', version: '1' };
      const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo };
      send({ id: 1, method: 'initialize', params });
      await next();
      send({ method: 'notifications/initialized' });
    },
  };
}
