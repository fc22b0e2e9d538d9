import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBase64Url, encodeBase64Url } from '../protocol/base64.js';
import { createSeal } from './seal.js';

const OLD_KEY = 'an old key of more than thirty-two bytes';
const NEW_KEY = 'a new key that is also more than 32 bytes';

const values = fc.jsonValue().filter(value => value !== null);

describe('a sealed value', () => {
  const seal = createSeal([OLD_KEY]);

  it('opens for the same purpose and the same bound', async () => {
    await fc.assert(
      fc.asyncProperty(values, fc.string(), fc.string(), async (value, purpose, bound) => {
        const token = await seal.seal(purpose, bound, value);
        expect(token).toMatch(/^[\w-]+$/);
        expect(await seal.open(purpose, bound, token)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 50 },
    );
  });

  it('looks different every time', async () => {
    const tokens = await Promise.all(
      Array.from({ length: 20 }, () => seal.seal('session', 'bistro', 'same')),
    );
    expect(new Set(tokens).size).toBe(20);
  });

  it('shows nothing of what is in it', async () => {
    const token = await seal.seal('session', 'bistro', { principal: 'ada' });
    expect(Buffer.from(token, 'base64url').toString('latin1')).not.toContain('ada');
  });

  it('does not open for another purpose or another bound', async () => {
    const strings = fc.uniqueArray(fc.string(), { minLength: 2, maxLength: 2 });
    await fc.assert(
      fc.asyncProperty(strings, async ([right = '', wrong = '']) => {
        const token = await seal.seal(right, right, 'value');
        expect(await seal.open(wrong, right, token)).toBeUndefined();
        expect(await seal.open(right, wrong, token)).toBeUndefined();
      }),
      { numRuns: 30 },
    );
  });

  it('does not open when any bit of it was changed', async () => {
    const bytes = decodeBase64Url(await seal.seal('session', 'bistro', { n: 1 })) as Uint8Array;
    for (let at = 0; at < bytes.length; at++) {
      const tampered = Uint8Array.from(bytes);
      tampered[at] = (tampered[at] as number) ^ (1 << (at % 8));
      expect(await seal.open('session', 'bistro', encodeBase64Url(tampered)), `byte ${at}`).toBeUndefined();
    }
  });

  it('does not open when it was cut, lengthened, or padded', async () => {
    const token = await seal.seal('session', 'bistro', { n: 1 });
    for (let length = 0; length < token.length; length++) {
      expect(await seal.open('session', 'bistro', token.slice(0, length)), `${length}`).toBeUndefined();
    }
    for (const more of ['A', 'AA', 'AAAA', '=', ' ', token]) {
      expect(await seal.open('session', 'bistro', token + more), more).toBeUndefined();
    }
  });

  it('is not opened from whatever else is sent', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.uint8Array().map(encodeBase64Url)), async text => {
        expect(await seal.open('session', 'bistro', text)).toBeUndefined();
      }),
    );
  });
});

describe('a ring of keys', () => {
  it('opens with every key and seals with the first', async () => {
    const before = createSeal([OLD_KEY]);
    const during = createSeal([NEW_KEY, OLD_KEY]);
    const after = createSeal([NEW_KEY]);
    const old = await before.seal('session', 'bistro', 'old');
    const fresh = await during.seal('session', 'bistro', 'fresh');

    expect(await during.open('session', 'bistro', old)).toBe('old');
    expect(await during.open('session', 'bistro', fresh)).toBe('fresh');
    expect(await after.open('session', 'bistro', fresh)).toBe('fresh');
    expect(await after.open('session', 'bistro', old)).toBeUndefined();
    expect(await before.open('session', 'bistro', fresh)).toBeUndefined();
  });

  it('takes the same key as text or as bytes', async () => {
    const token = await createSeal([OLD_KEY]).seal('session', 'bistro', 1);
    expect(await createSeal([new TextEncoder().encode(OLD_KEY)]).open('session', 'bistro', token)).toBe(1);
  });

  it('does not open what another random key sealed', async () => {
    const token = await createSeal().seal('session', 'bistro', 1);
    expect(await createSeal().open('session', 'bistro', token)).toBeUndefined();
    const again = createSeal();
    expect(await again.open('session', 'bistro', await again.seal('session', 'bistro', 1))).toBe(1);
  });

  it('refuses a short key, and says how to make a good one', () => {
    const message =
      'a key must have at least 32 bytes, this one has 5; ' +
      'make one with: node -p "crypto.randomBytes(32).toString(\'base64\')"';
    expect(() => createSeal(['short'])).toThrow(new RangeError(message));
    expect(() => createSeal([NEW_KEY, new Uint8Array(31)])).toThrow(RangeError);
    expect(() => createSeal(['é'.repeat(16)])).not.toThrow();
  });

  it('is not changed by a caller who reuses the bytes of a key', async () => {
    const bytes = new TextEncoder().encode(OLD_KEY);
    const seal = createSeal([bytes]);
    bytes.fill(0);
    const token = await seal.seal('session', 'bistro', 1);
    expect(await createSeal([OLD_KEY]).open('session', 'bistro', token)).toBe(1);
  });
});
