import type { Auth } from '../../protocol/auth.js';
import type { Awaitable } from '../../protocol/settle.js';

const MAX_KEPT = 10_000;
/** How exactly the order of use is kept; moving an entry costs more than looking it up. */
const MOVE_EVERY_MS = 1000;
const TAIL_LENGTH = 32;

interface Kept {
  readonly token: string;
  readonly resource: string;
  readonly auth: Auth;
  readonly until: number;
  usedAt: number;
}

/**
 * Remembers what tokens turned out to say, those used longest ago first. Refusals are not kept: anybody can make up
 * bad tokens. There is no hash of tokens here, because on the way of every request the one of WebCrypto costs more
 * than all the rest of it.
 */
export class VerifiedTokens {
  readonly #maxKept: number;
  /** By the ends of the tokens, which are long, and a map reads the whole key each time. */
  readonly #kept = new Map<string, Kept>();
  /** Those that are being verified, so that many requests at once do it only once. */
  readonly #pending = new Map<string, Promise<Auth>>();

  constructor(maxKept = MAX_KEPT) {
    this.#maxKept = maxKept;
  }

  /** What a token says, by `verify` if it is not known; kept for `seconds`, but not beyond its expiry. */
  find(token: string, resource: string, seconds: number, verify: () => Promise<Auth>): Awaitable<Auth> {
    const kept = this.#kept.get(tailOf(token));
    const now = Date.now();
    if (kept?.token !== token || kept.resource !== resource || kept.until <= now) {
      return this.#verify(token, resource, seconds, verify);
    }
    if (now - kept.usedAt > MOVE_EVERY_MS) this.#keep({ ...kept, usedAt: now });
    return kept.auth;
  }

  #verify(token: string, resource: string, seconds: number, verify: () => Promise<Auth>): Promise<Auth> {
    const key = `${resource} ${token}`;
    const pending = this.#pending.get(key);
    if (pending) return pending;
    const verifying = verify()
      .then(auth => {
        const usedAt = Date.now();
        const until = Math.min(usedAt + seconds * 1000, (auth.expiresAt ?? Number.POSITIVE_INFINITY) * 1000);
        if (until > usedAt) this.#keep({ token, resource, auth, until, usedAt });
        return auth;
      })
      .finally(() => this.#pending.delete(key));
    this.#pending.set(key, verifying);
    return verifying;
  }

  #keep(kept: Kept): void {
    const tail = tailOf(kept.token);
    this.#kept.delete(tail);
    this.#kept.set(tail, kept);
    if (this.#kept.size > this.#maxKept) this.#kept.delete(this.#kept.keys().next().value as string);
  }
}

function tailOf(token: string): string {
  return token.slice(-TAIL_LENGTH);
}
