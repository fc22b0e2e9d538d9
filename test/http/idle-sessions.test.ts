import { expect, test } from 'vitest';
import { startChild } from './child.js';

// Alone in its file, so that it runs beside the others: most of its time goes into cryptography.
test('a hundred thousand idle sessions need less than 10 MB', { timeout: 300_000 }, async () => {
  const child = startChild('idle-sessions.ts', { nodeArgs: ['--expose-gc'], args: ['100000'] });
  const { grown, status } = JSON.parse(await child.line());
  expect(status, 'of a request in the oldest session').toBe(200);
  expect(grown).toBeLessThan(10 * 1024 * 1024);
});
