import { vi } from 'vitest';

/** Waits until something holds, however busy the machine is. */
export function until<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 120_000, interval: 10 });
}
