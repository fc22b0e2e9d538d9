import { describe, it } from 'vitest';
import { expectReservations, testExamples } from '../examples-suite.js';
import { testRuntime } from '../process-suite.js';
import { startServer } from '../program.js';
import { BUN } from './installed.js';

describe('Bun', () => testRuntime(BUN, 'bun-server.ts'));

describe('the examples on Bun', () => {
  testExamples(BUN);

  it('bun', async () => {
    await expectReservations(await startServer(BUN, 'examples/bun/server.ts'));
  });
});
