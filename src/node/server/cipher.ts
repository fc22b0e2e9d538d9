import { createCipheriv, createDecipheriv, createSecretKey } from 'node:crypto';
import { type CipherFactory, IV_BYTES } from '../../server/seal/cipher.js';

const ALGORITHM = 'aes-256-gcm';
const TAG_BYTES = 16;

/**
 * AES-256-GCM of `node:crypto`. Its output is the same as WebCrypto's, but it is synchronous: the thread pool of
 * WebCrypto takes longer than the encryption.
 */
export const nodeCipher: CipherFactory = bytes => {
  const key = createSecretKey(bytes);
  return {
    encrypt(iv, bound, plain) {
      const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(bound));
      const sealed = typeof plain === 'string' ? cipher.update(plain, 'utf8') : cipher.update(plain);
      // In counter mode `final()` returns no more bytes.
      cipher.final();
      return Buffer.concat([iv, sealed, cipher.getAuthTag()]).toString('base64url');
    },

    decrypt(bound, text) {
      const sealed = Buffer.from(text, 'base64url');
      if (sealed.length < IV_BYTES + TAG_BYTES) throw new RangeError('too short to have been sealed');
      // Node skips characters that are not base64url; comparing with its own encoding detects them.
      if (sealed.toString('base64url') !== text) throw new RangeError('not base64url');
      const tagAt = sealed.length - TAG_BYTES;
      const iv = sealed.subarray(0, IV_BYTES);
      const decipher = createDecipheriv(ALGORITHM, key, iv, { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(bound)).setAuthTag(sealed.subarray(tagAt));
      const plain = decipher.update(sealed.subarray(IV_BYTES, tagAt));
      decipher.final();
      return plain;
    },
  };
};
