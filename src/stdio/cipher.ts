import { createCipheriv, createDecipheriv } from 'node:crypto';
import type { CipherFactory } from '../eras/seal.js';

const TAG_BYTES = 16;

/**
 * AES-256-GCM of `node:crypto`. What it makes is what WebCrypto makes, but at once, instead of after a trip through
 * the thread pool that takes longer than the work.
 */
export const nodeCipher: CipherFactory = key => ({
  encrypt(iv, bound, plain) {
    const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(bound);
    return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  },
  decrypt(iv, bound, sealed) {
    if (sealed.length < TAG_BYTES) throw new RangeError('too short to have been sealed');
    const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES }).setAAD(bound);
    decipher.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
    return Buffer.concat([decipher.update(sealed.subarray(0, sealed.length - TAG_BYTES)), decipher.final()]);
  },
});
