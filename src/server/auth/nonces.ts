import { encodeBase64Url } from '../../base/base64url.js';
import { UsageError } from '../../base/errors.js';

const MIN_KEY_BYTES = 32;
const SLOT_MS = 5 * 60_000;

/** Nonces are derived from a key and the time, so that every node with the key accepts the nonces of the others. */
export interface Nonces {
  current(): Promise<string>;
  /** Whether it is the current nonce or the one before. */
  isGood(nonce: unknown): Promise<boolean>;
}

export function createNonces(secret: string | Uint8Array): Nonces {
  const bytes = typeof secret === 'string' ? new TextEncoder().encode(secret) : secret.slice();
  if (bytes.length < MIN_KEY_BYTES) throw new UsageError(`nonceKey needs at least ${MIN_KEY_BYTES} bytes`);
  let key: ReturnType<typeof crypto.subtle.importKey> | undefined;
  const nonceOf = async (slot: number) => {
    key ??= crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
    const mac = await crypto.subtle.sign('HMAC', await key, new TextEncoder().encode(`dpop nonce ${slot}`));
    return encodeBase64Url(new Uint8Array(mac));
  };
  const slotNow = () => Math.floor(Date.now() / SLOT_MS);
  return {
    current: () => nonceOf(slotNow()),
    // All clients get the same nonce, so the duration of the comparison gives nothing away.
    async isGood(nonce) {
      const slot = slotNow();
      return nonce === (await nonceOf(slot)) || nonce === (await nonceOf(slot - 1));
    },
  };
}
