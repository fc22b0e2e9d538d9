import type { RoundProgress } from '../rounds/round.js';
import type { ByHand } from './by-hand.js';

/**
 * The state of a request: a round begins with it, changes it, and leaves it to the next round. Between rounds it
 * travels with the client, sealed (`request-state.ts`). Everything else that the next round must know belongs here.
 */
export interface RoundState extends RoundProgress {
  /** The number of the round, counted from 1. */
  round: number;
  /** The same for all states of one request; undefined before the first was sealed. */
  requestId?: string | undefined;
  /** The handler's own state, if it asks by hand. */
  own?: string | undefined;
  /** The questions that it has asked by hand so far. */
  asked?: readonly ByHand[] | undefined;
  /** Different for every state that was ever sealed; undefined if this one was not. */
  id?: string | undefined;
  /** Until when a sealed state is valid, in milliseconds since 1970. */
  expiresAt?: number | undefined;
}

/** The state of a request before its first round. */
export const FIRST_ROUND: RoundState = { round: 1, journal: [], passes: 0 };
