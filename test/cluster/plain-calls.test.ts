import { describe, expect, it } from 'vitest';
import { redisCluster } from '../../src/node/server/redis/index.js';
import { Server } from '../../src/server/index.js';
import { isInstalled } from '../services/programs.js';
import { startRedis } from '../services/redis.js';
import { afterTest, type Node, startNodes } from './nodes.js';
import { callModern, HandshakeClient } from './wire.js';

/** Generous: a machine that is busy with something else is slow, and that is no failure. */
const PATIENT_MS = 30_000;
/** Nodes that start make each other's acquaintance over the store, for a moment. */
const POLL = { timeout: PATIENT_MS };

describe.runIf(isInstalled('redis'))('a plain call of a node on Redis', () => {
  /** Starts two nodes, and returns a function that counts the commands which some work makes Redis run. */
  const start = async () => {
    const redis = await startRedis();
    afterTest(() => redis.stop());
    const store = async () => ({
      connect: () => redisCluster({ url: redis.url, timeoutMs: PATIENT_MS }),
      close: async () => {},
    });
    const nodes = await startNodes(store, 2, log => {
      const server = new Server({ name: 'bistro', version: '1.0.0' }, log);
      server.tool('soup', {}, () => 'Soup');
      return server;
    });
    const commands = async () => {
      const info = await redis.info();
      const calls = new Map<string, number>();
      for (const [name, text] of info)
        if (name.startsWith('cmdstat_') && !NOT_COUNTED.has(name))
          calls.set(name, Number(/calls=(\d+)/.exec(text)?.[1]));
      return calls;
    };
    const count = async (work: () => Promise<unknown>) => {
      const before = await commands();
      await work();
      const after = await commands();
      return Object.fromEntries([...after].filter(([name, calls]) => calls !== (before.get(name) ?? 0)));
    };
    return { urls: nodes.map(({ running }: Node) => running.url) as [string, string], count };
  };
  /** The first looks at these numbers, the second shows that a connection is alive. */
  const NOT_COUNTED = new Set(['cmdstat_info', 'cmdstat_ping']);

  it('does not touch the store on the newest revision', async () => {
    const { urls, count } = await start();
    const calls = async () => {
      for (let at = 0; at < 20; at++) {
        const { result } = await callModern(urls[at % 2] as string, 'soup');
        expect(result?.content[0].text).toBe('Soup');
      }
    };
    await expect.poll(() => count(calls), POLL).toEqual({});
  });

  it('does not touch the store in a session, but for the first one at a node that has not seen it', async () => {
    const { urls, count } = await start();
    const client = await HandshakeClient.open(urls[0]);
    const call = (url: string) => client.text(url, 'soup');
    const calls = async (url: string) => {
      for (let at = 0; at < 20; at++) expect(await call(url)).toBe('Soup');
    };
    await expect.poll(() => count(() => calls(urls[0])), POLL).toEqual({});
    // Another node may have ended the session, or changed it.
    expect(await count(() => call(urls[1]))).toEqual({ cmdstat_hmget: expect.any(Number) });
    expect(await count(() => calls(urls[1]))).toEqual({});
  });
});
