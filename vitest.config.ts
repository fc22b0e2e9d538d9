import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import { LongestFirst } from './test/longest-first.js';
import { SHARING } from './test/sharing.js';

/** What all tests have in common. */
export const common = {
  // `npm run test:peers` and `npm run test:runtimes` run these.
  exclude: [...configDefaults.exclude, 'test/peers/**', 'test/runtimes/further/**'],
  typecheck: { enabled: false },
  // Limits are for what hangs. A machine that is busy with something else is slow, and that is no failure.
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 120_000 } },
};

export default defineConfig({
  test: {
    ...common,
    sequence: { sequencer: LongestFirst },
    globalSetup: './test/programs/build.ts',
    // Most tests wait for sockets and other processes, so that there can be more at once than there are cores.
    maxWorkers: availableParallelism() + 1,
    teardownTimeout: 120_000,
    dangerouslyIgnoreUnhandledErrors: false,
    // Playwright forgets to handle one of its own promises when a page goes while a frame comes.
    onUnhandledError: error => !error.stack?.includes('FrameManager.frameAttached'),
    projects: [
      {
        test: {
          ...common,
          name: 'apart',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts'],
          exclude: [...common.exclude, ...SHARING],
        },
      },
      { test: { ...common, name: 'sharing', include: SHARING, isolate: false } },
    ],
  },
});
