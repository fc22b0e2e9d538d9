import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longest-first.js';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts'],
    // `npm run test:peers` and `npm run test:runtimes` run these.
    exclude: [...configDefaults.exclude, 'test/peers/**', 'test/runtimes/further/**'],
    sequence: { sequencer: LongestFirst },
    globalSetup: './test/programs/build.ts',
    typecheck: { enabled: false },
    // Most tests wait for sockets and other processes, so that there can be more at once than there are cores.
    maxWorkers: availableParallelism() + 1,
    // Limits are for what hangs. A machine that is busy with something else is slow, and that is no failure.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    teardownTimeout: 120_000,
    expect: { poll: { timeout: 120_000 } },
    dangerouslyIgnoreUnhandledErrors: false,
  },
});
