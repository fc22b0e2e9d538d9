import { expect, test } from 'vitest';
import { startChild } from './child.js';

test('a handler is made without random values, timers or requests, which some runtimes refuse at first', async () => {
  const child = startChild('module-scope.ts');
  // Without keys, and with keys.
  expect(await child.line()).toBe('200 true');
  expect(await child.line()).toBe('200 true');
  expect(await child.exited).toBe(0);
});
