import { OnDemand } from '../base/on-demand.js';
import { andThen } from '../base/settle.js';
import { ON_DEMAND, type OnDemandPart } from './loading.js';
import type { Seal } from './seal/seal.js';

/** A seal that is created, and its code loaded, when it is first used. */
export function sealOnDemand(create: (part: OnDemandPart) => Seal): Seal {
  const created = new OnDemand(async () => create(await ON_DEMAND.get()));
  return {
    seal: (...args) => andThen(created.get(), seal => seal.seal(...args)),
    open: (...args) => andThen(created.get(), seal => seal.open(...args)),
  };
}
