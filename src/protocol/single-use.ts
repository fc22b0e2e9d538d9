import type { Awaitable } from '../base/settle.js';

/** Remembers used ids, for things that must not happen twice. */
export interface SingleUse {
  /** Marks an id as used; false if it was used before. May forget it after `expiresAt` (milliseconds since 1970). */
  redeem(id: string, expiresAt: number): Awaitable<boolean>;
}
