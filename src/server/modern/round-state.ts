import type { ByHand } from './by-hand.js';
import type { JournalEntry } from './journal.js';

/**
 * Where a request stands: what a round begins with, changes, and leaves to the next one. Between rounds it travels
 * with the client, sealed (`request-state.ts`). Whatever else must be known in the next round belongs here, too.
 */
export interface RoundState {
  /** The number of the round, counted from 1. */
  round: number;
  /** What was asked and done so far. */
  journal: readonly JournalEntry[];
  /** How often the request came to points that it passes only once. */
  passes: number;
  /** The same for all states of one request, which has none before the first. */
  requestId?: string | undefined;
  /** What a handler that asks by hand wants to know again. */
  own?: string | undefined;
  /** What it has asked so far, if it has. */
  asked?: readonly ByHand[] | undefined;
  /** Different for every state that was ever sealed; undefined if this one was not. */
  id?: string | undefined;
  /** Until when a sealed state is good, in milliseconds since 1970. */
  expiresAt?: number | undefined;
}

/** Before anything was asked. */
export const FIRST_ROUND: RoundState = { round: 1, journal: [], passes: 0 };
