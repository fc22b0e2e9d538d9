// btoa takes one character per byte; a call per chunk keeps the argument list of fromCharCode short.
const CHUNK = 0x2000;

/** Bytes as base64, as binary contents travel. */
export function encodeBase64(bytes: Uint8Array): string {
  let binary = '';
  for (let at = 0; at < bytes.length; at += CHUNK) {
    binary += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  }
  return btoa(binary);
}

/** Bytes as base64 that needs no escaping in a header, a URL or a cookie. */
export function encodeBase64Url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** The inverse of `encodeBase64Url`; undefined for anything that it cannot have made. */
export function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 4 === 1) return undefined;
  const bytes = new Uint8Array((text.length * 3) >> 2);
  let bits = 0;
  let count = 0;
  let at = 0;
  for (let index = 0; index < text.length; index++) {
    const value = VALUES[text.charCodeAt(index)];
    if (value === undefined) return undefined;
    bits = ((bits << 6) | value) & 0xffff;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes[at++] = bits >> count;
  }
  // What is left of the last character must be empty, or two texts would stand for the same bytes.
  return (bits & ((1 << count) - 1)) === 0 ? bytes : undefined;
}

/** The value of each character, by its code. */
const VALUES: readonly (number | undefined)[] = Array.from(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_',
).reduce<(number | undefined)[]>((values, char, value) => {
  values[char.charCodeAt(0)] = value;
  return values;
}, new Array(128).fill(undefined));
