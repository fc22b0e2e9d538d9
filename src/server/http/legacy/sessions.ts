import { ownText } from '../../../base/own-text.js';
import type { Awaitable } from '../../../base/settle.js';
import type { Caller } from '../../../protocol/caller.js';
import type { ClientCapabilities } from '../../../protocol/capabilities.js';
import { invalidParams } from '../../../protocol/errors.js';
import { findLegacy } from '../../../revisions/index.js';
import type { Handshake } from '../../legacy/handshake.js';
import { LegacySession } from '../../legacy/session.js';
import {
  MAX_ENDED_SESSIONS,
  MAX_KEPT_SESSIONS,
  MAX_RECENT_SESSIONS,
  MAX_SESSION_ID_LENGTH,
  SESSION_IDLE_MS,
  SESSION_LIFETIME_MS,
} from '../../limits.js';
import type { ClientCalls, RunningCalls } from '../../running-calls.js';
import type { Seal } from '../../seal/seal.js';
import type { EventLog } from '../replay.js';

/** How exactly the order of use is kept; moving an entry costs more than looking it up. */
const REMEMBER_EVERY_MS = 1000;
const PURPOSE = 'session';
/** A tag has 22 characters. */
const SERIAL_LENGTH = 24;

/** A session over HTTP: the handshake with what happened since, and the streams that wait for notices. */
export class HttpSession extends LegacySession {
  /** Tells this session from all others. */
  readonly serial: string;
  readonly principal: string | undefined;
  readonly issuedAt: number;
  /** Streams opened by GET, oldest first. */
  streams: EventLog[] = [];
  lastUsed = 0;

  constructor(
    handshake: Handshake,
    calls: ClientCalls,
    id: string,
    principal: string | undefined,
    issuedAt: number,
  ) {
    super(handshake, calls, id);
    this.serial = serialOf(id);
    this.principal = principal;
    this.issuedAt = issuedAt;
  }

  override get hasState(): boolean {
    return super.hasState || this.streams.length > 0;
  }

  /** Whether something would break, not just be forgotten, if this object were dropped. */
  get isInUse(): boolean {
    return this.isBusy || this.streams.some(stream => stream.isAttached);
  }
}

/** What the id of a session carries. A list, and in seconds, because it travels with every request. */
type Claims = [
  revision: string,
  issuedAt: number,
  capabilities: ClientCapabilities,
  client: [name: string, version: string] | null,
];

/**
 * The sessions of the handshake revisions. An id is a sealed token that carries the handshake, so a session
 * needs no memory, survives a restart, and is good on every node that has the keys. Only what changes
 * during a session is kept here, and only while there is something to keep.
 */
export class Sessions {
  readonly #seal: Seal;
  readonly #audience: string;
  readonly #running: RunningCalls;
  /** Those used lately by their serials, the latest last, so that not every request decrypts. */
  readonly #recent = new Map<string, HttpSession>();
  /** Those used longer ago that have something to lose, likewise. */
  readonly #kept = new Map<string, HttpSession>();
  /** Serials of deleted sessions, until they would have expired. */
  readonly #ended = new Map<string, number>();

  /** `audience` is the name of the server; `running` are the calls of the door that the sessions belong to. */
  constructor(seal: Seal, audience: string, running: RunningCalls) {
    this.#seal = seal;
    this.#audience = audience;
    this.#running = running;
  }

  /** Makes the id of a new session. */
  async mint(handshake: Handshake, caller: Caller | undefined): Promise<string> {
    const { info, capabilities } = handshake.client;
    const claims: Claims = [
      handshake.revision.name,
      Math.floor(Date.now() / 1000),
      capabilities,
      info ? [info.name.slice(0, 200), info.version.slice(0, 50)] : null,
    ];
    const id = await this.#seal.seal(PURPOSE, this.#boundTo(caller), JSON.stringify(claims));
    if (id.length > MAX_SESSION_ID_LENGTH)
      throw invalidParams('the capabilities are too large to be kept in a session id');
    return id;
  }

  /** The session of an id; undefined if there is none, it is over, or it belongs to someone else. */
  find(id: string, caller: Caller | undefined): Awaitable<HttpSession | undefined> {
    const known = this.#recall(id);
    if (known) return this.#use(known, caller);
    return this.#open(id, caller).then(session => session && this.#use(session, caller));
  }

  #use(session: HttpSession, caller: Caller | undefined): HttpSession | undefined {
    const now = Date.now();
    if (session.principal !== caller?.principal) return undefined;
    if (this.#isEnded(session) || now > session.issuedAt + SESSION_LIFETIME_MS) return undefined;
    if (now - session.lastUsed > REMEMBER_EVERY_MS) this.#remember(session);
    session.lastUsed = now;
    return session;
  }

  #recall(id: string): HttpSession | undefined {
    const serial = serialOf(id);
    const session = this.#recent.get(serial) ?? this.#kept.get(serial);
    return session?.id === id ? session : undefined;
  }

  #isEnded(session: HttpSession): boolean {
    return this.#ended.size > 0 && this.#ended.has(session.serial);
  }

  end(session: HttpSession): void {
    this.#ended.set(ownText(session.serial), session.issuedAt + SESSION_LIFETIME_MS);
    for (const [serial, until] of this.#ended) {
      if (until > Date.now() && this.#ended.size <= MAX_ENDED_SESSIONS) break;
      this.#ended.delete(serial);
    }
    this.#recent.delete(session.serial);
    this.#kept.delete(session.serial);
  }

  async #open(id: string, caller: Caller | undefined): Promise<HttpSession | undefined> {
    if (id.length > MAX_SESSION_ID_LENGTH) return undefined;
    const text = await this.#seal.open(PURPOSE, this.#boundTo(caller), id);
    if (text === undefined) return undefined;
    const [name, issuedAt, capabilities, client] = JSON.parse(text) as Claims;
    const revision = findLegacy(name);
    if (!revision) return undefined;
    // Two requests may open the same id at once; they must end up with the same session.
    const known = this.#recall(id);
    if (known) return known;
    const info = client ? { name: client[0], version: client[1] } : undefined;
    const handshake = { revision, client: { info, capabilities } };
    const calls = this.#running.createList();
    const session = new HttpSession(handshake, calls, id, caller?.principal, issuedAt * 1000);
    this.#remember(session);
    return session;
  }

  /** An id opens only for the server and the principal that it was made for. */
  #boundTo(caller: Caller | undefined): string {
    return JSON.stringify([this.#audience, caller?.principal ?? null]);
  }

  #remember(session: HttpSession): void {
    const { serial } = session;
    this.#kept.delete(serial);
    this.#recent.delete(serial);
    this.#recent.set(serial, session);
    if (this.#recent.size <= MAX_RECENT_SESSIONS) return;
    const [oldSerial, old] = this.#recent.entries().next().value as [string, HttpSession];
    this.#recent.delete(oldSerial);
    if (!old.hasState) return;
    this.#kept.set(oldSerial, old);
    this.#dropIdle();
  }

  /** Looks at the two that were used longest ago, so that the cost does not grow with their number. */
  #dropIdle(): void {
    const now = Date.now();
    for (let looked = 0; looked < 2; looked++) {
      const [oldest] = this.#kept;
      if (!oldest) return;
      const [serial, session] = oldest;
      const isIdle = session.lastUsed <= now - SESSION_IDLE_MS || !session.hasState;
      if (!isIdle && this.#kept.size <= MAX_KEPT_SESSIONS) return;
      this.#kept.delete(serial);
      if (!session.isInUse) continue;
      session.lastUsed = now;
      this.#kept.set(serial, session);
    }
  }
}

/**
 * What tells an id from all others: its end, which is the tag of its seal. The whole of it would do as well, but a
 * map reads the whole key each time.
 */
function serialOf(id: string): string {
  return id.slice(-SERIAL_LENGTH);
}
