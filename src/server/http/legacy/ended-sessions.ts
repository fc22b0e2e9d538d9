import { ownText } from '../../../base/own-text.js';
import { MAX_ENDED_SESSIONS, SESSION_LIFETIME_MS } from '../../limits.js';

/** A session as far as its end is concerned. */
interface Endable {
  readonly serial: string;
  readonly issuedAt: number;
}

/** The sessions that are over though their ids are still valid, until the ids expire. */
export class EndedSessions {
  /** When they were issued, by their serials. */
  readonly #issuedAt = new Map<string, number>();
  /**
   * Ended sessions that were issued up to then may have been forgotten, so a session from before that is valid only
   * while it is in memory.
   */
  unknownUntil = 0;

  add({ serial, issuedAt }: Endable): void {
    this.#issuedAt.set(ownText(serial), issuedAt);
    for (const [oldest, since] of this.#issuedAt) {
      const hasExpired = Date.now() > since + SESSION_LIFETIME_MS;
      if (!hasExpired && this.#issuedAt.size <= MAX_ENDED_SESSIONS) break;
      this.#issuedAt.delete(oldest);
      if (!hasExpired) this.unknownUntil = Math.max(this.unknownUntil, since);
    }
  }

  has({ serial }: Endable): boolean {
    return this.#issuedAt.size > 0 && this.#issuedAt.has(serial);
  }
}

/** Shared by all handlers of this process: a session can be used at each of them that has its key. */
export const ENDED_SESSIONS = new EndedSessions();
