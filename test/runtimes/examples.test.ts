import { describe, it } from 'vitest';
import { expectReservations, testExamples } from './examples-suite.js';
import { ROOT, THIS_NODE } from './program.js';
import { startWorker } from './workerd.js';

describe('the examples on this Node', () => testExamples(THIS_NODE));

it('the example on workerd, with keys from its environment', async () => {
  const key = 'a key of at least thirty-two bytes, for tests';
  const origin = await startWorker(`${ROOT}/examples/workerd/worker.ts`, {
    TENON_KEY: key,
    HOST: '127.0.0.1',
  });
  await expectReservations(`${origin}/mcp`);
});
