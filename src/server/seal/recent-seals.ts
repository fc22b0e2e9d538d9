import { Recent } from '../../base/recent.js';
import { andThen } from '../../base/settle.js';
import { MAX_RECENT_SEAL_LENGTH, MAX_RECENT_SEALS } from '../limits.js';
import type { Seal } from './seal.js';

interface Sealed {
  purpose: string;
  bound: string;
  text: string;
}

/**
 * A seal that remembers recent texts until their tokens come back. Most tokens soon come back to the same process, and
 * decrypting one costs more than all checks of a plain call. Unknown tokens are opened by the other seal.
 */
export function withRecent(seal: Seal): Seal {
  const recent = new Recent<Sealed>(MAX_RECENT_SEALS);

  return {
    seal(purpose, bound, text) {
      return andThen(seal.seal(purpose, bound, text), token => {
        if (text.length + bound.length <= MAX_RECENT_SEAL_LENGTH) recent.set(token, { purpose, bound, text });
        return token;
      });
    },

    open(purpose, bound, token) {
      const sealed = recent.get(token);
      if (sealed?.purpose !== purpose || sealed.bound !== bound) return seal.open(purpose, bound, token);
      recent.delete(token);
      return sealed.text;
    },
  };
}
