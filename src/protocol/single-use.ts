import type { Awaitable } from '../base/settle.js';

/** Remembers what has been used up, for things that must not happen twice. */
export interface SingleUse {
  /** Uses up an id. False if it was used before. It may be forgotten after `expiresAt` (milliseconds). */
  redeem(id: string, expiresAt: number): Awaitable<boolean>;
}
