import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBase64Url, encodeBase64, encodeBase64Url } from './base64.js';

describe('base64', () => {
  it('is what Node makes of the same bytes, in both alphabets', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), bytes => {
        expect(encodeBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
        expect(encodeBase64Url(bytes)).toBe(Buffer.from(bytes).toString('base64url'));
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

  it('accepts no two texts for the same bytes', () => {
    fc.assert(
      fc.property(fc.string(), text => {
        const bytes = decodeBase64Url(text);
        if (bytes) expect(encodeBase64Url(bytes)).toBe(text);
      }),
    );
  });
});
