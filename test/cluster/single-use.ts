import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { clusterSingleUse } from '../../src/server/cluster/index.js';
import { Server, type ServerOptions } from '../../src/server/index.js';
import { CutCluster } from './cut.js';
import { afterTest, type OpenStore, startNodes } from './nodes.js';
import { callModern } from './wire.js';

/** What may happen once happens once on all nodes together. */
export function describeSingleUse(open: OpenStore): void {
  describe.each(['pay', 'pay once'])('a state that the tool "%s" uses up', tool => {
    it('passes at one node only', async () => {
      const { urls, payments } = await start(open);
      const { result } = await callModern(urls[0] as string, tool);
      const round = answerTo(result);
      const answers = await Promise.all(
        Array.from({ length: 9 }, (_, at) => callModern(urls[at % 3] as string, tool, round)),
      );
      expect(payments).toEqual([tool]);
      const refused = answers.filter(({ error }) => error);
      expect(refused.map(({ error }) => error?.code)).toEqual(Array(8).fill(-32602));
    });

    it('waits for the store', async () => {
      const { urls, payments, cuts } = await start(open);
      const { result } = await callModern(urls[0] as string, tool);
      const round = answerTo(result);
      for (const cut of cuts) cut.cut();
      const refused = await callModern(urls[1] as string, tool, round);
      expect(refused.error).toMatchObject({ code: -31503, data: { retryAfterMs: 2000 } });
      expect(payments).toEqual([]);
      for (const cut of cuts) cut.mend();
      const paid = await callModern(urls[2] as string, tool, round);
      expect(paid.result?.content[0].text).toBe('paid');
    });
  });

  it('an id is new once among all who share the store, as for proofs of possession', async () => {
    const store = await open();
    afterTest(() => store.close());
    const [first, second] = [store.connect(), store.connect()];
    afterTest(async () => void (await Promise.all([first.close(), second.close()])));
    const expiresAt = Date.now() + 60_000;
    const redeem = (cluster: typeof first, name: string) =>
      clusterSingleUse(cluster, name).redeem('proof', expiresAt);
    expect(await redeem(first, 'bistro')).toBe(true);
    expect(await redeem(second, 'bistro')).toBe(false);
    expect(await redeem(second, 'bank')).toBe(true);
  });
}

async function start(open: OpenStore) {
  const payments: string[] = [];
  const cuts: CutCluster[] = [];
  const nodes = await startNodes(open, 3, log => bank(log, payments), {
    wrap: own => {
      const cut = new CutCluster(own);
      cuts.push(cut);
      return cut.cluster;
    },
  });
  return { urls: nodes.map(({ running }) => running.url), payments, cuts };
}

function bank(log: ServerOptions, payments: string[]): Server {
  const server = new Server({ name: 'bank', version: '1.0.0' }, log);
  const question = z.object({ sure: z.boolean() });
  server.tool('pay', { refuseReplays: true }, async (_, ctx) => {
    await ctx.elicit('Sure?', question);
    payments.push('pay');
    return 'paid';
  });
  server.tool('pay once', {}, async (_, ctx) => {
    await ctx.elicit('Sure?', question);
    await ctx.once();
    payments.push('pay once');
    return 'paid';
  });
  return server;
}

function answerTo(result: Record<string, any> | undefined): object {
  const { inputRequests, requestState } = result as Record<string, any>;
  const accept = { action: 'accept', content: { sure: true } };
  const inputResponses = Object.fromEntries(Object.keys(inputRequests).map(key => [key, accept]));
  return { requestState, inputResponses };
}
