import { deflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBase64Url, encodeBase64Url } from '../../base/base64url.js';
import { UsageError } from '../../base/errors.js';
import { nodeCipher } from '../../node/server/cipher.js';
import { createSeal } from './seal.js';
import { webCipher } from './web-cipher.js';

const OLD_KEY = 'an old key of more than thirty-two bytes';
const NEW_KEY = 'a new key that is also more than 32 bytes';

/** Where in a token packing and key id end, and where the IV does. */
const PREFIX_END = 8;
const IV_END = 24;

const short = fc.string({ unit: 'binary' });
/** Long enough to be compressed, whether that makes them smaller or not. */
const long = fc.oneof(
  fc.string({ unit: 'binary', minLength: 512, maxLength: 800 }),
  fc.tuple(short, fc.integer({ min: 512, max: 5000 })).map(([text, count]) => `${text}é`.repeat(count)),
);
const texts = fc.oneof({ weight: 3, arbitrary: short }, { weight: 1, arbitrary: long });

describe.each([
  ['WebCrypto', webCipher, nodeCipher],
  ['the cryptography of node', nodeCipher, webCipher],
])('a text that is sealed with %s', (_, cipher, otherCipher) => {
  const seal = createSeal([OLD_KEY], cipher);

  it('opens for the same purpose and the same bound', async () => {
    await fc.assert(
      fc.asyncProperty(texts, fc.string(), fc.string(), async (text, purpose, bound) => {
        const token = await seal.seal(purpose, bound, text);
        expect(token).toMatch(/^[\w-]+$/);
        expect(await seal.open(purpose, bound, token)).toBe(text);
      }),
      { numRuns: 50 },
    );
  });

  it('opens with the other cipher, too', async () => {
    const otherSeal = createSeal([OLD_KEY], otherCipher);
    await fc.assert(
      fc.asyncProperty(texts, fc.string({ unit: 'binary' }), async (text, bound) => {
        expect(await otherSeal.open('session', bound, await seal.seal('session', bound, text))).toBe(text);
      }),
      { numRuns: 50 },
    );
  });

  it('is the same again, even if it is empty or begins with a byte order mark', async () => {
    for (const text of ['', '\0', '\uFEFF', '\uFEFF{}', '\uFEFF'.repeat(1000)]) {
      expect(await seal.open('session', 'bistro', await seal.seal('session', 'bistro', text))).toBe(text);
    }
  });

  // covers: 2025-06-18/security/session-ids-are-random
  it('looks different every time', async () => {
    const tokens = await Promise.all(
      Array.from({ length: 1000 }, async () => seal.seal('session', 'bistro', 'same')),
    );
    expect(new Set(tokens.map(token => token.slice(PREFIX_END, IV_END))).size).toBe(1000);
    expect(new Set(tokens.map(token => token.slice(IV_END))).size).toBe(1000);
  });

  it('shows nothing of what is in it', async () => {
    const token = await seal.seal('session', 'bistro', '{"principal":"ada"}');
    expect(Buffer.from(token, 'base64url').toString('latin1')).not.toContain('ada');
  });

  it('begins with how it is packed and the id of the key, whatever it is for', async () => {
    const plain = await seal.seal('session', 'bistro', 'short');
    const deflated = await seal.seal('request state', 'bistro', 'long'.repeat(500));
    const [one, two] = [plain, deflated].map(token => [
      ...(decodeBase64Url(token.slice(0, PREFIX_END)) as Uint8Array),
    ]) as [number[], number[]];
    expect([one[0], two[0]]).toEqual([1, 2]);
    expect(one).toHaveLength(6);
    expect(two.slice(1)).toEqual(one.slice(1));
    // After the IV there are the five bytes of the text, and the tag.
    expect(decodeBase64Url(plain.slice(IV_END))).toHaveLength(5 + 16);
  });

  it('is compressed only if that makes it smaller', async () => {
    const same = await seal.seal('session', 'bistro', 'a'.repeat(5000));
    expect(same.length).toBeLessThan(100);
    const noise = Array.from(crypto.getRandomValues(new Uint16Array(1000)), code =>
      String.fromCharCode(0x4e00 + (code % 0x5000)),
    ).join('');
    const token = await seal.seal('session', 'bistro', noise);
    expect(decodeBase64Url(token.slice(IV_END))).toHaveLength(3000 + 16);
    expect(await seal.open('session', 'bistro', token)).toBe(noise);
  });

  it('does not open as if it were packed in another way', async () => {
    // Each would be a text in the other way, too: only the cipher can tell that it was not meant so.
    const plain = await seal.seal('session', 'bistro', deflateRawSync('a').toString());
    const deflated = await seal.seal('session', 'bistro', 'a'.repeat(1000));
    const [plainPrefix, deflatedPrefix] = [plain, deflated].map(token => token.slice(0, PREFIX_END));
    expect(plainPrefix).not.toBe(deflatedPrefix);
    for (const opener of [seal, createSeal([OLD_KEY], otherCipher)]) {
      expect(await opener.open('session', 'bistro', plain)).toBe('K\x04\0');
      expect(
        await opener.open('session', 'bistro', deflatedPrefix + plain.slice(PREFIX_END)),
      ).toBeUndefined();
      expect(await opener.open('session', 'bistro', deflated)).toBe('a'.repeat(1000));
      expect(
        await opener.open('session', 'bistro', plainPrefix + deflated.slice(PREFIX_END)),
      ).toBeUndefined();
    }
  });

  it('does not open for another purpose or another bound', async () => {
    const strings = fc.uniqueArray(fc.string(), { minLength: 2, maxLength: 2 });
    await fc.assert(
      fc.asyncProperty(strings, async ([right = '', wrong = '']) => {
        const token = await seal.seal(right, right, 'text');
        expect(await seal.open(wrong, right, token)).toBeUndefined();
        expect(await seal.open(right, wrong, token)).toBeUndefined();
      }),
      { numRuns: 30 },
    );
  });

  it('does not open when any bit of it was changed', async () => {
    const bytes = decodeBase64Url(await seal.seal('session', 'bistro', '{"n":1}')) as Uint8Array;
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const tampered = Uint8Array.from(bytes);
      tampered[bit >> 3] = (tampered[bit >> 3] as number) ^ (1 << (bit & 7));
      expect(await seal.open('session', 'bistro', encodeBase64Url(tampered)), `bit ${bit}`).toBeUndefined();
    }
  });

  it('does not open when it was cut, lengthened, or padded', async () => {
    // Of every length that base64 treats differently.
    for (const text of ['{"n":1}', '{"n":12}', '{"n":123}']) {
      const token = await seal.seal('session', 'bistro', text);
      for (let length = 0; length < token.length; length++) {
        expect(await seal.open('session', 'bistro', token.slice(0, length)), `${length}`).toBeUndefined();
      }
      for (const more of ['A', 'AA', 'AAAA', '=', '==', ' ', '\n', token]) {
        expect(await seal.open('session', 'bistro', token + more), more).toBeUndefined();
      }
    }
  });

  it('does not open in another spelling of the same bytes', async () => {
    const token = await seal.seal('session', 'bistro', '{"n":1}');
    const bytes = Buffer.from(token, 'base64url');
    // Of the last character not all bits count.
    const last = String.fromCharCode(token.charCodeAt(token.length - 1) + 1);
    const spellings = [
      token.slice(0, -1) + last,
      bytes.toString('base64'),
      ...[0, PREFIX_END, 12, IV_END, 30].map(at => `${token.slice(0, at)} ${token.slice(at)}`),
    ];
    for (const spelling of spellings) {
      expect(Buffer.from(spelling, 'base64url')).toEqual(bytes);
      expect(await seal.open('session', 'bistro', spelling), spelling).toBeUndefined();
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

describe('a cipher', () => {
  it('makes the same of the same, whichever it is', async () => {
    const bytesOf = (size: number) => fc.uint8Array({ minLength: size, maxLength: size }).map(copy);
    const plains = fc.oneof(short, fc.uint8Array().map(copy));
    await fc.assert(
      fc.asyncProperty(bytesOf(32), bytesOf(12), short, plains, async (key, iv, bound, plain) => {
        const [web, node] = [await webCipher(key), await nodeCipher(key)];
        const sealed = await web.encrypt(iv, bound, plain);
        expect(await node.encrypt(iv, bound, plain)).toBe(sealed);
        const opened = typeof plain === 'string' ? copy(new TextEncoder().encode(plain)) : plain;
        expect(copy(await web.decrypt(bound, sealed))).toEqual(opened);
        expect(copy(await node.decrypt(bound, sealed))).toEqual(opened);
      }),
    );
  });
});

/** The same bytes in a plain array of their own. */
function copy(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(bytes);
}

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
    const token = await createSeal([OLD_KEY]).seal('session', 'bistro', 'text');
    const seal = createSeal([new TextEncoder().encode(OLD_KEY)]);
    expect(await seal.open('session', 'bistro', token)).toBe('text');
  });

  it('does not open what another random key sealed', async () => {
    const token = await createSeal().seal('session', 'bistro', 'text');
    expect(await createSeal().open('session', 'bistro', token)).toBeUndefined();
    const again = createSeal();
    expect(await again.open('session', 'bistro', await again.seal('session', 'bistro', 'text'))).toBe('text');
  });

  it('refuses a short key, and says how to make a good one', () => {
    const message =
      'a key must have at least 32 bytes, this one has 5; ' +
      'make one with: node -p "crypto.randomBytes(32).toString(\'base64\')"';
    expect(() => createSeal(['short'])).toThrow(new UsageError(message));
    expect(() => createSeal([NEW_KEY, new Uint8Array(31)])).toThrow(UsageError);
    expect(() => createSeal(['é'.repeat(16)])).not.toThrow();
  });

  it('is not changed by a caller who reuses the bytes of a key', async () => {
    const bytes = new TextEncoder().encode(OLD_KEY);
    const seal = createSeal([bytes]);
    bytes.fill(0);
    const token = await seal.seal('session', 'bistro', 'text');
    expect(await createSeal([OLD_KEY]).open('session', 'bistro', token)).toBe('text');
  });
});
