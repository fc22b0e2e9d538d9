import { Recent } from '../../base/recent.js';
import type { Caller } from '../../protocol/caller.js';
import { MAX_VERIFIED_LENGTH, MAX_VERIFIED_TOKENS } from '../limits.js';
import type { Credentials } from './credentials.js';

/** How exactly the order of use is kept: moving an entry costs more than looking it up. */
const MOVE_EVERY_MS = 1000;
const TAIL_LENGTH = 32;

/** A token, how it was presented, and the caller that it stands for. */
export interface Verified {
  readonly credentials: Credentials;
  readonly auth: Caller;
}

interface Kept extends Verified {
  readonly header: string;
  readonly resource: string;
  readonly until: number;
  usedAt: number;
}

/**
 * Remembers the callers of verified Authorization headers; the entries used longest ago are dropped first. Refusals
 * are not kept, because anybody can make up bad tokens. Tokens are not hashed, because WebCrypto's hash would cost
 * more than the rest of a request.
 */
export class VerifiedTokens {
  /** By the ends of the headers: headers are long, and a map reads the whole key each time. */
  readonly #kept: Recent<Kept>;
  /** The verifications under way, so that simultaneous requests share one. */
  readonly #pending = new Map<string, Promise<Verified>>();

  constructor(maxKept = MAX_VERIFIED_TOKENS) {
    this.#kept = new Recent(maxKept, { max: MAX_VERIFIED_LENGTH, of: ({ header }) => header.length });
  }

  /** The cached outcome for a header and a resource. */
  recall(header: string, resource: string): Verified | undefined {
    const kept = this.#kept.get(tailOf(header));
    if (kept?.header !== header || kept.resource !== resource) return undefined;
    const now = Date.now();
    if (kept.until <= now) return undefined;
    if (now - kept.usedAt > MOVE_EVERY_MS) this.#keep({ ...kept, usedAt: now });
    return kept;
  }

  /** Verifies a header, and keeps the outcome for `ms` milliseconds, but not beyond the expiry of its token. */
  learn(header: string, resource: string, ms: number, verify: () => Promise<Verified>): Promise<Verified> {
    const key = `${resource} ${header}`;
    const pending = this.#pending.get(key);
    if (pending) return pending;
    const verifying = verify()
      .then(verified => {
        const { expiresAt = Number.POSITIVE_INFINITY } = verified.auth;
        const usedAt = Date.now();
        const until = Math.min(usedAt + ms, expiresAt);
        if (until > usedAt) this.#keep({ ...verified, header, resource, until, usedAt });
        return verified;
      })
      .finally(() => this.#pending.delete(key));
    this.#pending.set(key, verifying);
    return verifying;
  }

  #keep(kept: Kept): void {
    this.#kept.set(tailOf(kept.header), kept);
  }
}

function tailOf(header: string): string {
  return header.slice(-TAIL_LENGTH);
}
