import { ownText } from '../protocol/own-text.js';
import type { SingleUse } from '../protocol/single-use.js';

const MAX_REMEMBERED = 100_000;

/** Remembers in this process only. On several nodes use a store that they share. */
export function createMemorySingleUse(): SingleUse {
  const used = new Map<string, number>();
  return {
    redeem(id, expiresAt) {
      if (used.has(id)) return false;
      // All have the same lifetime, so the oldest come first.
      for (const [old, until] of used) {
        if (until > Date.now() && used.size < MAX_REMEMBERED) break;
        used.delete(old);
      }
      used.set(ownText(id), expiresAt);
      return true;
    },
  };
}
