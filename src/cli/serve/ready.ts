import type { Cluster } from 'tenon/cluster';

/** What a process tells the one that started it when it serves or works. */
export interface Ready {
  /** Whether it shares nothing with the other processes but the keys. */
  readonly isAlone: boolean;
}

/** Tells the process that started this one, if it is one of several, that it is ready. */
export function tellReady(shared: Cluster | undefined): void {
  const message: Ready = { isAlone: shared === undefined || shared.isInProcess === true };
  process.send?.(message);
}
