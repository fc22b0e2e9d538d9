import { OnDemand } from '../base/on-demand.js';
import { andThen } from '../base/settle.js';
import type { SingleUse } from '../protocol/single-use.js';
import { ON_DEMAND, type OnDemandPart } from './loading.js';

/** A store of single uses that is created, and its code loaded, when it is first used. */
export function singleUseOnDemand(create: (part: OnDemandPart) => SingleUse): SingleUse {
  const created = new OnDemand(async () => create(await ON_DEMAND.get()));
  return { redeem: (...args) => andThen(created.get(), store => store.redeem(...args)) };
}
