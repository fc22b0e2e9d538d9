import type { CipherFactory } from './seal.js';

/** AES-256-GCM of WebCrypto, which every runtime has. */
export const webCipher: CipherFactory = async key => {
  const aes = await crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt', 'decrypt']);
  const options = (iv: Uint8Array<ArrayBuffer>, bound: Uint8Array<ArrayBuffer>) => ({
    name: 'AES-GCM',
    iv,
    additionalData: bound,
  });
  return {
    encrypt: async (iv, bound, plain) =>
      new Uint8Array(await crypto.subtle.encrypt(options(iv, bound), aes, plain)),
    decrypt: async (iv, bound, sealed) =>
      new Uint8Array(await crypto.subtle.decrypt(options(iv, bound), aes, sealed)),
  };
};
