import { encodeBase64Url } from '../../base/base64url.js';

const PURPOSE = new TextEncoder().encode('tenon: which keys a node has');
const PRINT_BYTES = 9;

/** Short digests of keys, by which nodes find out whether they have the same ones. A key cannot be told from its digest. */
export function printKeys(keys: readonly Uint8Array<ArrayBuffer>[]): Promise<string[]> {
  return Promise.all(
    keys.map(async key => {
      const hmac = { name: 'HMAC', hash: 'SHA-256' };
      const signing = await crypto.subtle.importKey('raw', key, hmac, false, ['sign']);
      const digest = await crypto.subtle.sign('HMAC', signing, PURPOSE);
      return encodeBase64Url(new Uint8Array(digest).subarray(0, PRINT_BYTES));
    }),
  );
}

/** Whether two nodes take each other's sessions and rounds: each has the key that the other one seals with, its first. */
export function areCompatible(own: readonly string[], others: readonly string[]): boolean {
  const [ownFirst, othersFirst] = [own[0], others[0]];
  if (ownFirst === undefined || othersFirst === undefined) return true;
  return others.includes(ownFirst) && own.includes(othersFirst);
}
