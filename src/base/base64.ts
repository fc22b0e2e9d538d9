/** Encodes bytes as base64, as binary contents are sent. */
export function encodeBase64(bytes: Uint8Array): string {
  const text = writeBase64(bytes, STANDARD);
  return text + '='.repeat(-text.length & 3);
}

/** The characters that both alphabets begin with. */
export const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const STANDARD = codesOf(`${LETTERS}+/`);
const decoder = new TextDecoder();

/** Writes bytes in an alphabet of 64 characters, without padding. */
export function writeBase64(bytes: Uint8Array, alphabet: Uint8Array): string {
  const codes = new Uint8Array(Math.ceil((bytes.length * 4) / 3));
  let bits = 0;
  let count = 0;
  let at = 0;
  for (let index = 0; index < bytes.length; index++) {
    bits = ((bits << 8) | (bytes[index] as number)) & 0xffff;
    count += 8;
    while (count >= 6) {
      count -= 6;
      codes[at++] = alphabet[(bits >> count) & 63] as number;
    }
  }
  if (count > 0) codes[at] = alphabet[(bits << (6 - count)) & 63] as number;
  return decoder.decode(codes);
}

/** The character codes of an alphabet. */
export function codesOf(alphabet: string): Uint8Array {
  return new TextEncoder().encode(alphabet);
}
