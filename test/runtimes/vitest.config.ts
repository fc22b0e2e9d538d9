import { configDefaults, defineConfig } from 'vitest/config';
import { common } from '../../vitest.config.js';

// Several runtimes and Next are large, so `npm test` leaves them out.
export default defineConfig({
  test: {
    ...common,
    include: ['test/runtimes/**/*.test.ts'],
    exclude: configDefaults.exclude,
    globalSetup: './test/programs/build.ts',
    teardownTimeout: 120_000,
    maxWorkers: 2,
  },
});
