import { encodeBase64Url } from '../../base/base64.js';
import { UsageError } from '../../base/errors.js';

const MIN_KEY_BYTES = 32;
const SLOT_MS = 5 * 60_000;

/** Nonces that follow from a key and the time, so that every node with the key knows those of the others. */
export interface Nonces {
  current(): Promise<string>;
  /** Whether a nonce is of the present or the one before. */
  isGood(nonce: unknown): Promise<boolean>;
}

export function createNonces(secret: string | Uint8Array): Nonces {
  const bytes = typeof secret === 'string' ? new TextEncoder().encode(secret) : secret.slice();
  if (bytes.length < MIN_KEY_BYTES) throw new UsageError(`nonceKey needs at least ${MIN_KEY_BYTES} bytes`);
  const key = crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const nonceOf = async (slot: number) => {
    const mac = await crypto.subtle.sign('HMAC', await key, new TextEncoder().encode(`dpop nonce ${slot}`));
    return encodeBase64Url(new Uint8Array(mac));
  };
  const slotNow = () => Math.floor(Date.now() / SLOT_MS);
  return {
    current: () => nonceOf(slotNow()),
    // Everybody is given the same one, so there is nothing to learn from how long a comparison takes.
    async isGood(nonce) {
      const slot = slotNow();
      return nonce === (await nonceOf(slot)) || nonce === (await nonceOf(slot - 1));
    },
  };
}
