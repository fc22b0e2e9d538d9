import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    typecheck: { enabled: false },
    // Most tests wait for sockets and other processes, so that even two cores can do with two at once.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Limits are for what hangs. A machine that is busy with something else is slow, and that is no failure.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    teardownTimeout: 60_000,
    expect: { poll: { timeout: 60_000 } },
    dangerouslyIgnoreUnhandledErrors: false,
  },
});
