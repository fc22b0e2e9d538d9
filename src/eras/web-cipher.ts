import { decodeBase64Url, encodeBase64Url } from '../protocol/base64.js';
import type { CipherFactory } from './seal.js';

/** AES-256-GCM of WebCrypto, which every runtime has. */
export const webCipher: CipherFactory = async key => {
  const aes = await crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt', 'decrypt']);
  const encode = (text: string) => new TextEncoder().encode(text);
  const options = (iv: Uint8Array<ArrayBuffer>, bound: string) => ({
    name: 'AES-GCM',
    iv,
    additionalData: encode(bound),
  });
  return {
    async encrypt(iv, bound, plain) {
      const bytes = typeof plain === 'string' ? encode(plain) : plain;
      return encodeBase64Url(new Uint8Array(await crypto.subtle.encrypt(options(iv, bound), aes, bytes)));
    },
    async decrypt(iv, bound, sealed) {
      const bytes = decodeBase64Url(sealed);
      if (!bytes) throw new RangeError('not base64url');
      return new Uint8Array(await crypto.subtle.decrypt(options(iv, bound), aes, bytes));
    },
  };
};
