import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeBase64 } from './base64.js';
import { decodeBase64Url, encodeBase64Url } from './base64url.js';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

describe('base64', () => {
  it('is what Node makes of the same bytes, in both alphabets', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), bytes => {
        expect(encodeBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
        expect(encodeBase64Url(bytes)).toBe(Buffer.from(bytes).toString('base64url'));
      }),
    );
  });

  it('is made of the bytes that a view shows, not of those around them', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.nat(20), fc.nat(20), (bytes, start, length) => {
        const view = bytes.subarray(start, start + length);
        expect(encodeBase64(view)).toBe(Buffer.from(view).toString('base64'));
        expect(encodeBase64Url(view)).toBe(Buffer.from(view).toString('base64url'));
      }),
    );
  });

  it('takes more bytes than a function takes arguments', () => {
    const bytes = new Uint8Array(1_000_003).map((_, at) => at % 251);
    expect(encodeBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
  });
});

describe('decoding base64url', () => {
  it('gives back the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array(), bytes => {
        expect(decodeBase64Url(encodeBase64Url(bytes))).toEqual(bytes);
      }),
    );
  });

  it.each([
    ['padding', 'QQ=='],
    ['the other alphabet', 'a+b/'],
    ['white space', 'QU JD'],
    ['a length that no bytes have', 'A'],
    ['bits that no encoder sets', 'QR'],
    ['other characters', 'é'],
  ])('refuses %s', (_, text) => {
    expect(decodeBase64Url(text)).toBeUndefined();
  });

  it('gives what Node gives for all that Node could have written, and nothing for the rest', () => {
    // Mostly good characters, or hardly any text would be; the last two are an A for who reads only some bits.
    const characters = fc.oneof(
      { weight: 40, arbitrary: fc.constantFrom(...ALPHABET) },
      { weight: 1, arbitrary: fc.constantFrom(...'+/= \n\0~é\u0141\uff41') },
    );
    let good = 0;
    fc.assert(
      fc.property(fc.string({ unit: characters, maxLength: 40 }), text => {
        const bytes = Buffer.from(text, 'base64url');
        const isWritten = bytes.toString('base64url') === text;
        if (isWritten) good++;
        expect(decodeBase64Url(text)).toEqual(isWritten ? new Uint8Array(bytes) : undefined);
      }),
      { numRuns: 2000 },
    );
    expect(good).toBeGreaterThan(100);
  });

  it('accepts no two texts for the same bytes', () => {
    fc.assert(
      fc.property(fc.string(), text => {
        const bytes = decodeBase64Url(text);
        if (bytes) expect(encodeBase64Url(bytes)).toBe(text);
      }),
    );
  });
});
