import type { Awaitable } from '../../base/settle.js';

export type Bytes = Uint8Array<ArrayBuffer>;

/**
 * AES-256-GCM with one key. What is sealed is in base64url: the IV, the ciphertext, the tag. There is one way to write
 * it, and both its ends tell it from everything else that was sealed, which others rely on.
 */
export interface Cipher {
  encrypt(iv: Bytes, bound: string, plain: string | Bytes): Awaitable<string>;
  /** Throws, or rejects, for anything that it did not make. */
  decrypt(bound: string, sealed: string): Awaitable<Uint8Array>;
}

export type CipherFactory = (key: Bytes) => Awaitable<Cipher>;

export const IV_BYTES = 12;
