import { describe, expect, it } from 'vitest';
import { pollPause } from './polling.js';

const QUIET = { failures: 0, isListening: false };

describe('the pause between two polls of a task', () => {
  // covers: 2025-11-25/tasks/poll-interval-is-respected
  it.each<[string, number | undefined, number, number]>([
    ['is the interval that the server wants, and up to a fifth more', 5000, 5000, 6000],
    ['is a second if the server wants none', undefined, 1000, 1200],
    ['is not below its bound', 0, 250, 300],
    ['is not above its bound, beside the fifth', 365 * 24 * 3600_000, 60_000, 72_000],
  ])('%s', (_, pollIntervalMs, atLeast, atMost) => {
    for (let at = 0; at < 100; at++) {
      const ms = pollPause(pollIntervalMs === undefined ? {} : { pollIntervalMs }, {}, QUIET);
      expect(ms).toBeGreaterThanOrEqual(atLeast);
      expect(ms).toBeLessThanOrEqual(atMost);
    }
  });

  it('grows while the server is out of reach, up to its bound', () => {
    const pauseAfter = (failures: number) => pollPause({ pollIntervalMs: 1000 }, {}, { ...QUIET, failures });
    expect(pauseAfter(3)).toBeGreaterThanOrEqual(8000);
    expect(pauseAfter(50)).toBeLessThanOrEqual(72_000);
  });

  it('is long while notices tell what changes', () => {
    expect(pollPause({ pollIntervalMs: 10 }, {}, { ...QUIET, isListening: true })).toBeGreaterThanOrEqual(
      30_000,
    );
  });

  it('does not count on notices after a poll has failed', () => {
    const ms = pollPause({ pollIntervalMs: 1000 }, {}, { failures: 1, isListening: true });
    expect(ms).toBeLessThanOrEqual(2400);
  });

  it('fits into a timer, whatever the client allows', () => {
    expect(pollPause({ pollIntervalMs: 1e300 }, { maxPollMs: 1e300 }, QUIET)).toBeLessThan(2 ** 31);
  });
});
