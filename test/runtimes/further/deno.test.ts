import { describe, it } from 'vitest';
import { expectReservations, testExamples } from '../examples-suite.js';
import { testRuntime } from '../process-suite.js';
import { startServer } from '../program.js';
import { DENO } from './installed.js';

describe('Deno', () => testRuntime(DENO, 'deno-server.ts'));

describe('the examples on Deno', () => {
  testExamples(DENO);

  it('deno', async () => {
    await expectReservations(await startServer(DENO, 'examples/deno/server.ts'));
  });
});
