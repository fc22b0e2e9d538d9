import { afterEach, beforeEach, expect } from 'vitest';

/** Makes every test of a file fail if a promise is rejected and nobody looks, or an exception is not caught. */
export function failOnUnhandled(): void {
  const seen: unknown[] = [];
  const record = (reason: unknown) => seen.push(reason);
  beforeEach(() => {
    seen.length = 0;
    process.on('unhandledRejection', record);
    process.on('uncaughtException', record);
  });
  afterEach(async () => {
    // Rejections are reported when the microtasks of a turn are done.
    await new Promise(resolve => setImmediate(resolve));
    process.off('unhandledRejection', record);
    process.off('uncaughtException', record);
    expect(seen).toEqual([]);
  });
}
