import type { CipherFactory } from './cipher.js';
import { createSeal, type Seal } from './seal.js';

let wasWarned = false;

/** A seal with a random key. Its first use logs a warning, once per process. */
export function createKeylessSeal(createCipher?: CipherFactory): Seal {
  const seal = createSeal([], createCipher);
  return {
    seal(purpose, bound, text) {
      if (!wasWarned) warn();
      return seal.seal(purpose, bound, text);
    },
    open: seal.open,
  };
}

function warn(): void {
  wasWarned = true;
  console.warn(
    '[tenon] no keys are set, so sessions and input rounds end with this process. For several processes, give all ' +
      'the same keys, or set TENON_KEYS.',
  );
}
