import { type Handshake, LegacySession } from '../eras/legacy/session.js';
import type { Seal } from '../eras/seal.js';
import type { Auth } from '../protocol/auth.js';
import type { ClientCapabilities, Implementation } from '../protocol/capabilities.js';
import { invalidParams } from '../protocol/errors.js';
import { isObject } from '../protocol/json.js';
import { type Awaitable, andThen } from '../protocol/settle.js';
import { findLegacy } from '../revisions/index.js';
import type { EventLog } from './replay.js';

const LIFETIME_MS = 7 * 24 * 3600_000;
const IDLE_MS = 30 * 60_000;
const MAX_LIVE = 10_000;
const MAX_RECENT = 1000;
/** How exactly the order of use is kept; moving an entry costs more than looking it up. */
const REMEMBER_EVERY_MS = 1000;
const MAX_ENDED = 100_000;
/** Headers share 16 KiB on node, and proxies allow less. */
const MAX_ID_LENGTH = 4096;
const PURPOSE = 'session';

/** A session over HTTP: the handshake with what happened since, and the streams that wait for notices. */
export class HttpSession extends LegacySession {
  readonly serial: string;
  readonly principal: string | undefined;
  readonly issuedAt: number;
  /** Streams opened by GET, oldest first. */
  streams: EventLog[] = [];
  lastUsed = 0;
  /** Whether it is kept for what it has to lose. */
  isLive = false;

  constructor(handshake: Handshake, id: string, claims: Claims) {
    super(handshake, id);
    this.serial = claims.s;
    this.principal = claims.p;
    this.issuedAt = claims.t;
  }

  override get hasState(): boolean {
    return super.hasState || this.streams.length > 0;
  }
}

/** What the id of a session carries. Short names: it travels with every request. */
interface Claims {
  s: string;
  r: string;
  t: number;
  p?: string;
  i?: Implementation;
  c: ClientCapabilities;
}

/**
 * The sessions of the handshake revisions. An id is a sealed token that carries the handshake, so a session
 * needs no memory, survives a restart, and is good on every node that has the keys. Only what changes
 * during a session is kept here, and only while there is something to keep.
 */
export class Sessions {
  readonly #seal: Seal;
  readonly #audience: string;
  /** Sessions with something to lose, least recently used first. */
  readonly #live = new Map<string, HttpSession>();
  /** Sessions opened lately, so that not every request decrypts. */
  readonly #recent = new Map<string, HttpSession>();
  /** Serials of deleted sessions, until they would have expired. */
  readonly #ended = new Map<string, number>();

  constructor(seal: Seal, audience: string) {
    this.#seal = seal;
    this.#audience = audience;
  }

  /** Makes the id of a new session. */
  async mint(handshake: Handshake, auth: Auth | undefined): Promise<string> {
    const { info, capabilities } = handshake.client;
    const claims: Claims = {
      s: crypto.randomUUID(),
      r: handshake.revision.name,
      t: Date.now(),
      ...(auth && { p: auth.principal }),
      ...(info && { i: { name: info.name.slice(0, 200), version: info.version.slice(0, 50) } }),
      c: capabilities,
    };
    const id = await this.#seal.seal(PURPOSE, this.#audience, claims);
    if (id.length > MAX_ID_LENGTH)
      throw invalidParams('the capabilities are too large to be kept in a session id');
    return id;
  }

  /** The session of an id; undefined if there is none, it is over, or it belongs to someone else. */
  find(id: string, auth: Auth | undefined): Awaitable<HttpSession | undefined> {
    const known = this.#live.get(id) ?? this.#recent.get(id);
    return andThen(known ?? this.#open(id), session => {
      const now = Date.now();
      if (!session || session.principal !== auth?.principal) return undefined;
      if (this.#ended.has(session.serial) || now > session.issuedAt + LIFETIME_MS) return undefined;
      if (now - session.lastUsed > REMEMBER_EVERY_MS) this.#remember(session);
      session.lastUsed = now;
      return session;
    });
  }

  /** Keeps a session while it has something to lose, and lets go of it otherwise. */
  settle(session: HttpSession): void {
    const id = session.id as string;
    const keep = session.hasState && !this.#ended.has(session.serial);
    if (!keep && !session.isLive) return;
    this.#live.delete(id);
    session.isLive = keep;
    if (!keep) return;
    this.#live.set(id, session);
    this.#dropIdle();
  }

  end(session: HttpSession): void {
    this.#ended.set(session.serial, session.issuedAt + LIFETIME_MS);
    for (const [serial, until] of this.#ended) {
      if (until > Date.now() && this.#ended.size <= MAX_ENDED) break;
      this.#ended.delete(serial);
    }
    this.#live.delete(session.id as string);
    this.#recent.delete(session.id as string);
  }

  live(): Iterable<HttpSession> {
    return this.#live.values();
  }

  async #open(id: string): Promise<HttpSession | undefined> {
    if (id.length > MAX_ID_LENGTH) return undefined;
    const claims = await this.#seal.open(PURPOSE, this.#audience, id);
    if (!isObject(claims)) return undefined;
    const { r, i, c } = claims as unknown as Claims;
    const revision = findLegacy(r);
    if (!revision) return undefined;
    // Two requests may open the same id at once; they must end up with the same session.
    const known = this.#live.get(id) ?? this.#recent.get(id);
    if (known) return known;
    const session = new HttpSession(
      { revision, client: { info: i, capabilities: c } },
      id,
      claims as unknown as Claims,
    );
    this.#remember(session);
    return session;
  }

  #remember(session: HttpSession): void {
    const id = session.id as string;
    this.#recent.delete(id);
    this.#recent.set(id, session);
    if (this.#recent.size > MAX_RECENT) this.#recent.delete(this.#recent.keys().next().value as string);
  }

  /** Looks at the two sessions that were used longest ago, so that the cost does not grow with their number. */
  #dropIdle(): void {
    const now = Date.now();
    for (let looked = 0; looked < 2; looked++) {
      const [id, session] = this.#live.entries().next().value as [string, HttpSession];
      if (session.lastUsed > now - IDLE_MS && this.#live.size <= MAX_LIVE) return;
      this.#live.delete(id);
      session.isLive = false;
      if (!session.isBusy && !session.streams.some(stream => stream.isAttached)) continue;
      session.lastUsed = now;
      session.isLive = true;
      this.#live.set(id, session);
    }
  }
}
