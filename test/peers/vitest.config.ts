import { configDefaults, defineConfig } from 'vitest/config';
import everyday from '../../vitest.config.js';

// The peers are packages of their own, and slow to install and to start, so `npm test` leaves them out.
export default defineConfig({
  test: {
    ...everyday.test,
    include: ['test/peers/*.test.ts'],
    exclude: configDefaults.exclude,
    setupFiles: ['test/peers/fixtures/no-network.mjs'],
    maxWorkers: 2,
  },
});
