import { ERROR, McpError } from '../protocol/errors.js';
import type { HeldTotal, Holder } from './held-total.js';
import {
  MAX_HELD_BYTES,
  MAX_IDLE_PRINCIPALS,
  PEER_SHARE,
  RESERVED_SHARE,
  RETRY_AFTER_MS,
  SMALL_ADDRESS_BYTES,
  SMALL_PEER_BYTES,
} from './limits.js';

/** Something that the server holds for a peer, and can give up when its memory is full. */
export interface Evictable {
  /** Set with every use, and cleared only when room is needed, so that a use costs next to nothing. */
  wasUsed: boolean;
  /** Gives the memory back. Returns false if it is needed at this moment. */
  evict(): boolean;
}

/** The bytes that are held for all peers of one network address. */
export interface AddressTally {
  held: number;
}

/** How many things may be evicted, or prove to be needed, to make room for one request. */
const MAX_LOOKS = 1000;

/**
 * Counts the bytes that peers make one transport hold: in all, and for each peer in its account. When it is full, or the
 * total that it is part of, the things that are idle longest go first; if there are none, new requests are refused.
 */
export class Ledger implements Holder {
  readonly limit: number;
  /** The most that one peer may make the server hold, unless it is a single message. */
  readonly peerLimit: number;
  held = 0;
  isClosed = false;
  readonly #total: HeldTotal | undefined;
  /** What may be given up, longest idle first; one that was used since is moved to the end when its turn comes. */
  readonly evictable = new Set<Evictable>();
  readonly #principals = new Map<string, Account>();
  /** With so many accounts of principals, the empty ones are dropped. */
  #principalsLimit = MAX_IDLE_PRINCIPALS;

  /** `peerShare` is the part that one peer may use. Without a `total`, the ledger stands alone. */
  constructor(limit: number = MAX_HELD_BYTES, peerShare: number = PEER_SHARE, total?: HeldTotal) {
    this.limit = limit;
    this.peerLimit = limit * peerShare;
    this.#total = total;
    total?.join(this);
  }

  /** Opens an account for a connection or a session. `address` is where it comes from, if that is known. */
  open(address?: AddressTally): Account {
    return new Account(this, address);
  }

  /** The account of a principal, which all its connections and sessions share. */
  accountOf(principal: string): Account {
    let account = this.#principals.get(principal);
    if (!account) {
      if (this.#principals.size >= this.#principalsLimit) this.#dropEmpty();
      account = new Account(this);
      this.#principals.set(principal, account);
    }
    return account;
  }

  /** Dropping an account as soon as it is empty would cost every call of a principal a new one. */
  #dropEmpty(): void {
    for (const [principal, { held }] of this.#principals) if (held === 0) this.#principals.delete(principal);
    this.#principalsLimit = Math.max(MAX_IDLE_PRINCIPALS, this.#principals.size * 2);
  }

  /** Books bytes that have to be held, so that something idle may have to go; or fewer bytes, if they are negative. */
  add(bytes: number): void {
    const total = this.#total;
    this.held += bytes;
    if (total) total.held += bytes;
    if (bytes <= 0) return;
    if (this.held > this.limit) this.shrinkTo(this.limit);
    if (total && total.held > total.limit) total.shrinkTo(total.limit);
  }

  /** Whether there is room for more bytes within a part of the limits, or can be made. */
  hasRoom(bytes: number, part: number): boolean {
    const total = this.#total;
    const most = this.limit * part - bytes;
    if (this.held > most && !this.shrinkTo(most)) return false;
    if (!total) return true;
    const mostInAll = total.limit * part - bytes;
    return total.held <= mostInAll || total.shrinkTo(mostInAll);
  }

  /** Ends the claim of this server to its part of the total. Things that are still held stay booked. */
  close(): void {
    this.isClosed = true;
    this.#total?.count();
  }

  /**
   * The part of the limits that a peer may fill when it holds `held` bytes, and its address `heldByAddress`. Those that
   * hold little may use the reserve, so that the others do not lock them out, and its second half only if their address
   * holds little as well. The less is left of it, the less that is, so that many peers with more do not lock out those
   * with the least.
   */
  partFor(held: number, heldByAddress: number): number {
    const total = this.#total;
    const left = Math.min(leftOf(this), total ? leftOf(total) : 1, 1);
    if (held > SMALL_PEER_BYTES * left) return 1 - RESERVED_SHARE;
    return heldByAddress > SMALL_ADDRESS_BYTES * Math.min(left * 2, 1) ? 1 - RESERVED_SHARE / 2 : 1;
  }

  /** Evicts until no more than `limit` bytes are held. Returns false if they are still more. */
  shrinkTo(limit: number): boolean {
    let looks = 0;
    for (const thing of this.evictable) {
      if (this.held <= limit || looks === MAX_LOOKS) break;
      this.evictable.delete(thing);
      // A used one does not count as a look: it costs this only once for each use.
      if (thing.wasUsed) thing.wasUsed = false;
      else {
        looks++;
        if (thing.evict()) continue;
      }
      this.evictable.add(thing);
    }
    return this.held <= limit;
  }
}

/** Which part of the reserve is left; more than 1 while it is not used. */
function leftOf({ limit, held }: { limit: number; held: number }): number {
  return (limit - held) / (limit * RESERVED_SHARE);
}

/** The bytes that are held for one peer: a connection, a session, or a principal. */
export class Account {
  readonly ledger: Ledger;
  /** Where the peer comes from, if that is known. */
  readonly address: AddressTally | undefined;
  held = 0;
  readonly #onEmpty: (() => void) | undefined;

  constructor(ledger: Ledger, address?: AddressTally, onEmpty?: () => void) {
    this.ledger = ledger;
    this.address = address;
    this.#onEmpty = onEmpty;
  }

  /** Books bytes that have to be held, so that something idle may have to go; or fewer bytes, if they are negative. */
  add(bytes: number): void {
    this.held += bytes;
    if (this.address) this.address.held += bytes;
    this.ledger.add(bytes);
    if (this.held === 0) this.#onEmpty?.();
  }

  remove(bytes: number): void {
    this.add(-bytes);
  }

  /**
   * The error for a peer that wants `bytes` more to be held; undefined if there is room for them. The parts of a body
   * count for all peers, but not for its own share: a peer may send one large message.
   */
  refusal(bytes: number, isPart = false): NoRoom | undefined {
    const { ledger, address } = this;
    const held = this.held + bytes;
    if (this.held > 0 && !isPart && held > ledger.peerLimit) return new NoRoom(429);
    const part = ledger.partFor(held, address ? address.held + bytes : 0);
    if (bytes > ledger.limit * part) return new NoRoom(413);
    return ledger.hasRoom(bytes, part) ? undefined : new NoRoom(503);
  }
}

/** The server has no memory for a request: 429 and 503 say when to try again, 413 is final. */
export class NoRoom extends McpError {
  /** The HTTP status of the refusal. */
  readonly status: number;

  constructor(status: 413 | 429 | 503) {
    if (status === 413) super(ERROR.invalidRequest, 'the message is too large to be held');
    else {
      const whose = status === 429 ? 'this client' : 'all clients';
      const message = `the server holds too much for ${whose}; try again later`;
      super(ERROR.busy, message, { retryAfterMs: RETRY_AFTER_MS });
    }
    this.status = status;
  }
}
