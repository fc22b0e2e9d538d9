import { configDefaults, defineConfig } from 'vitest/config';
import everyday from '../../vitest.config.js';

// Several runtimes and Next are large, so `npm test` leaves them out.
export default defineConfig({
  test: {
    ...everyday.test,
    include: ['test/runtimes/**/*.test.ts'],
    exclude: configDefaults.exclude,
    maxWorkers: 2,
  },
});
