import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { withRecent } from './recent-seals.js';
import { createSeal, type Seal } from './seal.js';

const KEY = 'a key that is long enough to be used as one';
const OTHER_KEY = 'another key that is long enough to be used as one';

/** A seal that counts how often it had to decrypt. */
function counting(keys: string[]): { seal: Seal; decrypted: () => number } {
  const inner = createSeal(keys);
  let count = 0;
  const seal = withRecent({
    seal: (...args) => inner.seal(...args),
    open(...args) {
      count++;
      return inner.open(...args);
    },
  });
  return { seal, decrypted: () => count };
}

describe('a seal that knows what it sealed last', () => {
  it('opens it without decrypting, once; then as any other', async () => {
    const { seal, decrypted } = counting([KEY]);
    const token = await seal.seal('session', 'bistro', 'text');
    expect(await seal.open('session', 'bistro', token)).toBe('text');
    expect(decrypted()).toBe(0);
    expect(await seal.open('session', 'bistro', token)).toBe('text');
    expect(decrypted()).toBe(1);
  });

  it('makes tokens that others with its keys open, and opens theirs', async () => {
    const { seal } = counting([KEY]);
    const other = createSeal([KEY]);
    expect(await other.open('session', 'bistro', await seal.seal('session', 'bistro', 'mine'))).toBe('mine');
    expect(await seal.open('session', 'bistro', await other.seal('session', 'bistro', 'theirs'))).toBe(
      'theirs',
    );
  });

  it('opens nothing for another purpose or another bound, and still opens it for the right ones', async () => {
    const { seal } = counting([KEY]);
    const token = await seal.seal('session', 'bistro', 'text');
    expect(await seal.open('request state', 'bistro', token)).toBeUndefined();
    expect(await seal.open('session', 'tavern', token)).toBeUndefined();
    expect(await seal.open('session', 'bistro', token)).toBe('text');
  });

  it('opens nothing that is not exactly what it sealed', async () => {
    const { seal } = counting([KEY]);
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.string({ minLength: 1, maxLength: 1 }), async (at, character) => {
        const token = await seal.seal('session', 'bistro', 'text');
        const place = at % token.length;
        const forged = token.slice(0, place) + character + token.slice(place + 1);
        const opened = await seal.open('session', 'bistro', forged);
        expect(opened).toBe(forged === token ? 'text' : undefined);
      }),
    );
  });

  it('forgets the oldest, which are decrypted instead, and never keeps what is large', async () => {
    const { seal, decrypted } = counting([KEY]);
    const first = await seal.seal('session', 'bistro', 'first');
    const large = await seal.seal('session', 'bistro', 'x'.repeat(2048));
    const bound = 'arguments '.repeat(205);
    const wide = await seal.seal('session', bound, 'text');
    for (let n = 0; n < 1000; n++) await seal.seal('session', 'bistro', 'more');
    expect(await seal.open('session', 'bistro', first)).toBe('first');
    expect(await seal.open('session', 'bistro', large)).toBe('x'.repeat(2048));
    expect(await seal.open('session', bound, wide)).toBe('text');
    expect(decrypted()).toBe(3);
  });

  it('knows nothing of what another has sealed', async () => {
    const { seal } = counting([KEY]);
    const token = await createSeal([OTHER_KEY]).seal('session', 'bistro', 'text');
    expect(await seal.open('session', 'bistro', token)).toBeUndefined();
  });
});
