import { tellOncePerProcess } from '../../base/once-per-process.js';
import type { Service } from '../../protocol/service.js';
import type { CipherFactory } from './cipher.js';
import { createSeal, type Seal } from './seal.js';

const NO_KEYS =
  'no keys are set, so sessions and input rounds end with this process. For several processes, give all the same ' +
  'keys, or set TENON_KEYS.';

/** A seal with a random key. Its first use gives a warning. */
export function createKeylessSeal(service: Pick<Service, 'warn'>, createCipher?: CipherFactory): Seal {
  const seal = createSeal([], createCipher);
  return {
    seal(purpose, bound, text) {
      tellOncePerProcess(NO_KEYS, text => service.warn(text, 'keys'));
      return seal.seal(purpose, bound, text);
    },
    open: seal.open,
  };
}
