import { codesOf, LETTERS, writeBase64 } from './base64.js';

/** Encodes bytes as base64url, which needs no escaping in a header, a URL or a cookie. */
export function encodeBase64Url(bytes: Uint8Array): string {
  return writeBase64(bytes, URL_SAFE);
}

/** The inverse of `encodeBase64Url`; undefined for any text that it cannot have written. */
export function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 4 === 1) return undefined;
  const bytes = new Uint8Array((text.length * 3) >> 2);
  let bits = 0;
  let count = 0;
  let at = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const value = code < 128 ? (VALUES[code] as number) : NO_VALUE;
    if (value === NO_VALUE) return undefined;
    bits = ((bits << 6) | value) & 0xffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes[at++] = bits >> count;
  }
  // Unused bits of the last character must be zero, or two texts would stand for the same bytes.
  return (bits & ((1 << count) - 1)) === 0 ? bytes : undefined;
}

const NO_VALUE = 255;
const URL_SAFE = codesOf(`${LETTERS}-_`);
/** The value of each character of the URL-safe alphabet, by its code. */
const VALUES = new Uint8Array(128).fill(NO_VALUE);
URL_SAFE.forEach((code, value) => {
  VALUES[code] = value;
});
