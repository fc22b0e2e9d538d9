import { decodeBase64Url, encodeBase64Url } from '../../base/base64url.js';
import { type Bytes, type CipherFactory, IV_BYTES } from './cipher.js';

/** AES-256-GCM of WebCrypto, which every runtime has. */
export const webCipher: CipherFactory = async key => {
  const aes = await crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt', 'decrypt']);
  const encode = (text: string) => new TextEncoder().encode(text);
  const options = (iv: Bytes, bound: string) => ({
    name: 'AES-GCM',
    iv,
    additionalData: encode(bound),
  });
  return {
    async encrypt(iv, bound, plain) {
      const bytes = typeof plain === 'string' ? encode(plain) : plain;
      const sealed = new Uint8Array(await crypto.subtle.encrypt(options(iv, bound), aes, bytes));
      // Twelve bytes are exactly sixteen characters, so the two encodings can be concatenated.
      return encodeBase64Url(iv) + encodeBase64Url(sealed);
    },
    async decrypt(bound, sealed) {
      const bytes = decodeBase64Url(sealed);
      if (!bytes) throw new RangeError('not base64url');
      const iv = bytes.subarray(0, IV_BYTES);
      return new Uint8Array(await crypto.subtle.decrypt(options(iv, bound), aes, bytes.subarray(IV_BYTES)));
    },
  };
};
