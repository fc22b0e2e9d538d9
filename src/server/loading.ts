import { OnDemand } from '../base/on-demand.js';

export type OnDemandPart = typeof import('./on-demand.js');

/** The part of the server that is loaded on demand, once per process. */
export const ON_DEMAND = new OnDemand<OnDemandPart>(() => import('./on-demand.js'));
