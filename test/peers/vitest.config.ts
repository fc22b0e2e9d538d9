import { configDefaults, defineConfig } from 'vitest/config';
import { common } from '../../vitest.config.js';

// The peers are packages of their own, and slow to install and to start, so `npm test` leaves them out.
export default defineConfig({
  test: {
    ...common,
    include: ['test/peers/*.test.ts'],
    exclude: configDefaults.exclude,
    setupFiles: ['test/peers/fixtures/no-network.mjs'],
    globalSetup: './test/programs/build.ts',
    teardownTimeout: 120_000,
    maxWorkers: 2,
  },
});
