import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ClientChild } from './client-child.js';
import { HOSTILE_INPUTS, type HostileInput, type Way } from './hostile-inputs.js';
import { serveHostile } from './hostile-server.js';

/**
 * Milliseconds. On a quiet machine it is less than 50 for all of them: see `npm run bench:blocking`. Here others are at
 * work, too, so only the client's own work counts, it may be more, and one good run will do.
 */
const LIMIT = 150;
const RUNS = 5;

let child: ClientChild;
beforeAll(async () => {
  child = await ClientChild.start(500);
});
afterAll(() => child.kill());

/** Has the client meet an input, and says how that ended. */
async function meet(input: HostileInput, way: Way): Promise<{ end: string | undefined; blocked: number }> {
  const { target, close } = await serveHostile(input, way);
  try {
    const { ends, blocked } = await child.run(target, input.steps);
    return { end: ends.at(-1), blocked };
  } finally {
    await close();
  }
}

describe('4 MiB from a server do not block the client', () => {
  const all = HOSTILE_INPUTS.flatMap(input =>
    input.over.map((way): [string, Way, HostileInput] => [input.name, way, input]),
  );
  // Every fifth, because each takes half a second; the benchmark has all of them.
  const cases = all.filter((_, index) => index % 5 === 0);
  test.for(cases)('%s, as %s', async ([, way, input]) => {
    const times: number[] = [];
    while (times.length < RUNS && Math.min(...times) > LIMIT) {
      const { end, blocked } = await meet(input, way);
      expect(end).toBe(input.end);
      times.push(blocked);
    }
    expect(Math.min(...times)).toBeLessThanOrEqual(LIMIT);
  });
});
