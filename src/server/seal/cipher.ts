import type { Awaitable } from '../../base/settle.js';

export type Bytes = Uint8Array<ArrayBuffer>;

/**
 * AES-256-GCM with one key. A sealed text is base64url of the IV, the ciphertext and the tag. Other code relies on two
 * properties: it has only one valid spelling, and its beginning and its end both identify it.
 */
export interface Cipher {
  encrypt(iv: Bytes, bound: string, plain: string | Bytes): Awaitable<string>;
  /** Throws, or rejects, for any text that was not sealed with this key. */
  decrypt(bound: string, sealed: string): Awaitable<Uint8Array>;
}

export type CipherFactory = (key: Bytes) => Awaitable<Cipher>;

export const IV_BYTES = 12;
