import { describe, expect, it } from 'vitest';
import { postgresCluster } from '../../src/node/server/postgres/index.js';
import { redisCluster } from '../../src/node/server/redis/index.js';
import { Server } from '../../src/server/index.js';
import { startPostgres } from '../services/postgres.js';
import { isInstalled } from '../services/programs.js';
import { startRedis } from '../services/redis.js';
import { type Node, type OpenStore, startNodes } from './nodes.js';
import { type Events, listenAt } from './wire.js';

/** `npm run bench:streams` has 10,000. */
const STREAMS = 300;
/** Generous: a machine that is busy with something else is slow, and that is no failure. */
const timeoutMs = 30_000;

const STORES: Record<'redis' | 'postgres', OpenStore> = {
  redis: async () => {
    const redis = await startRedis();
    return { connect: () => redisCluster({ url: redis.url, timeoutMs }), close: () => redis.stop() };
  },
  postgres: async () => {
    const postgres = await startPostgres();
    const { connectionString } = postgres;
    return { connect: () => postgresCluster({ connectionString, timeoutMs }), close: () => postgres.stop() };
  },
};

for (const [store, open] of Object.entries(STORES))
  describe.runIf(isInstalled(store as keyof typeof STORES))(`three nodes on ${store}`, () => {
    it(`tell each of ${STREAMS} streams of each change, whichever node it is made on`, async () => {
      const nodes = await startNodes(open, 3, log => {
        const server = new Server({ name: 'bistro', version: '1.0.0' }, log);
        server.tool('soup', {}, () => 'Soup');
        server.resource('menu://today', {}, () => 'Soup');
        return server;
      });
      const streams: Events[] = [];
      const filter = { toolsListChanged: true, resourceSubscriptions: ['menu://today'] };
      for (let at = 0; at < STREAMS; at++)
        streams.push(await listenAt((nodes[at % 3] as Node).running.url, filter));
      for (const { server } of nodes) {
        server.resourceChanged('menu://today');
        expect(await methodsOf(streams)).toEqual(new Set(['notifications/resources/updated']));
        server.listChanged('tools');
        expect(await methodsOf(streams)).toEqual(new Set(['notifications/tools/list_changed']));
      }
    });
  });

/** The methods of the next message of each stream. */
async function methodsOf(streams: readonly Events[]): Promise<Set<string | undefined>> {
  const messages = await Promise.all(streams.map(stream => stream.next()));
  return new Set(messages.map(message => message?.method));
}
