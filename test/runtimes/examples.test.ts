import { describe, expect, it } from 'vitest';
import { LegacyClient } from '../http/legacy-client.js';
import { expectReservations, testExamples } from './examples-suite.js';
import { ROOT, THIS_NODE } from './program.js';
import { startWorker } from './workerd.js';

describe('the examples on this Node', () => testExamples(THIS_NODE));

describe('the example on workerd', () => {
  const start = async (key: string) => {
    const bindings = { TENON_KEY: key, HOST: '127.0.0.1' };
    return `${await startWorker(`${ROOT}/examples/workerd/worker.ts`, bindings)}/mcp`;
  };

  it('serves clients of both eras', async () => {
    await expectReservations(await start('a key of at least thirty-two bytes, for tests'));
  });

  it('continues sessions of other machines, with the key in its environment', async () => {
    const key = 'another key of at least thirty-two bytes';
    const first = await LegacyClient.open(await start(key));
    const elsewhere = new LegacyClient(await start(key), first);
    expect((await elsewhere.request('ping')).status).toBe(200);
    const stranger = new LegacyClient(await start(`${key}, of somebody else`), first);
    expect((await stranger.request('ping')).status).toBe(404);
  });
});
