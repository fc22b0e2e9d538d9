import { ownText } from '../../../base/own-text.js';
import { Recent } from '../../../base/recent.js';
import { type Awaitable, andThen } from '../../../base/settle.js';
import type { Caller } from '../../../protocol/caller.js';
import type { ClientCapabilities, ServerCapabilities } from '../../../protocol/capabilities.js';
import type { Service, SessionService } from '../../../protocol/service.js';
import { findLegacy, REVISIONS, type Revision } from '../../../revisions/index.js';
import type { Account, AddressTally, Evictable, Ledger } from '../../ledger.js';
import type { OutsideChannel } from '../../legacy/ask-outside.js';
import { packDeclared, unpackDeclared } from '../../legacy/declared.js';
import { type Handshake, toHandshake } from '../../legacy/handshake.js';
import { LegacySession } from '../../legacy/session.js';
import {
  MAX_KEPT_SESSIONS,
  MAX_RECENT_SESSIONS,
  MAX_SESSION_ID_LENGTH,
  MAX_SESSIONS_SHARE,
  MAX_UNINITIALIZED_SESSIONS,
  SESSION_BYTES,
  SESSION_IDLE_MS,
  SESSION_LIFETIME_MS,
} from '../../limits.js';
import { ON_DEMAND } from '../../loading.js';
import type { Elsewhere } from '../../nodes/elsewhere.js';
import type { ClientCalls, RunningCalls } from '../../running-calls.js';
import type { Seal } from '../../seal/seal.js';
import type { EventLog } from '../replay.js';
import { EndedSessions } from './ended-sessions.js';
import {
  type ClaimedClient,
  claimClient,
  essential,
  readClient,
  type SessionClaims,
} from './session-claims.js';

/** How exactly the order of use is kept: moving an entry costs more than looking it up. */
const REMEMBER_EVERY_MS = 1000;
const PURPOSE = 'session';
/** The tag at the end of an id has 22 characters. */
const SERIAL_LENGTH = 24;

/** A session over HTTP: the handshake, the state since then, and the streams that wait for notifications. */
export class HttpSession extends LegacySession implements Evictable {
  /** Identifies this session. */
  readonly serial: string;
  readonly issuedAt: number;
  /** Streams opened by GET, oldest first. */
  streams: EventLog[] = [];
  lastUsed = 0;
  wasUsed = true;
  /** The memory that this object takes. */
  readonly bytes: number;
  /** Set in a cluster. */
  elsewhere: Elsewhere | undefined;
  #outside: OutsideChannel | undefined;
  readonly #onEvict: (session: HttpSession) => void;

  constructor(
    handshake: Handshake,
    calls: ClientCalls,
    account: () => Account,
    service: SessionService,
    origin: { id: string; principal: string | undefined; issuedAt: number; bytes: number },
    onEvict: (session: HttpSession) => void,
  ) {
    super(handshake, calls, account, service, ON_DEMAND, origin.id);
    this.serial = serialOf(origin.id);
    this.principal = origin.principal;
    this.issuedAt = origin.issuedAt;
    this.bytes = origin.bytes;
    this.#onEvict = onEvict;
  }

  override sentToPage(elicitationId: string): void {
    super.sentToPage(elicitationId);
    // The user may finish on the page before the request ends, and the client may listen at another node.
    void Promise.resolve(this.elsewhere?.sessions.save(this)).catch(() => undefined);
  }

  override openOutside(): OutsideChannel | undefined {
    const stream = pickStream(this.streams);
    if (stream) return { send: text => stream.append(text), isFull: stream.isFull };
    this.#outside ??= this.elsewhere?.streams.outside(this.serial);
    return this.#outside;
  }

  override get hasState(): boolean {
    return super.hasState || this.streams.length > 0;
  }

  /** Whether dropping this object would break something that is under way, beyond losing state. */
  get isInUse(): boolean {
    return this.isBusy || this.streams.some(stream => stream.isAttached);
  }

  evict(): boolean {
    if (this.isInUse) return false;
    this.#onEvict(this);
    return true;
  }
}

/** A message is sent on one stream only: the newest that is connected, or one that the client may resume. */
export function pickStream(streams: readonly EventLog[]): EventLog | undefined {
  return streams.findLast(stream => stream.isAttached) ?? streams.findLast(stream => !stream.isStale);
}

/**
 * The sessions of the handshake revisions. An id is a sealed token that carries the handshake, so a session needs no
 * memory, survives a restart, and is valid on every node that has the keys. Only state that changes during a session
 * is kept here, and only while there is any.
 */
export class Sessions {
  readonly #seal: Seal;
  readonly #running: RunningCalls;
  readonly #revisions: readonly Revision[];
  readonly #ledger: Ledger;
  readonly #service: SessionService & Pick<Service, 'capabilities'>;
  /** Charged for the sessions in memory, whoever their clients are. */
  readonly #account: Account;
  /** Sessions used recently, by their serials, the latest last, so that not every request decrypts its id. */
  readonly #recent = new Map<string, HttpSession>();
  /** Sessions used longer ago that have state, in the same order. */
  readonly #kept = new Map<string, HttpSession>();
  readonly #ended: EndedSessions;
  /** Set in a cluster. */
  readonly #elsewhere: Elsewhere | undefined;
  /** The serials of sessions that began here, until their clients send `notifications/initialized`. */
  readonly #uninitialized = new Recent<true>(MAX_UNINITIALIZED_SESSIONS);

  /** `seal` is for this server only; `running` are the calls of the handler that the sessions belong to. */
  constructor(
    seal: Seal,
    running: RunningCalls,
    ledger: Ledger,
    service: SessionService & Pick<Service, 'capabilities'>,
    revisions: readonly Revision[] = REVISIONS,
    ended: EndedSessions = new EndedSessions(),
    elsewhere?: Elsewhere | undefined,
  ) {
    this.#elsewhere = elsewhere;
    this.#revisions = revisions;
    this.#ended = ended;
    this.#seal = seal;
    this.#service = service;
    this.#running = running;
    this.#ledger = ledger;
    this.#account = ledger.open();
  }

  /** Creates the id of a new session. */
  async mint(handshake: Handshake, caller: Caller | undefined): Promise<string> {
    const { info, capabilities } = handshake.client;
    const write = (kept: ClientCapabilities, client: ClaimedClient | null) => {
      const claims: SessionClaims = [
        handshake.revision.name,
        Math.floor(Date.now() / 1000),
        kept,
        client,
        packDeclared(handshake.agreement.server ?? {}),
      ];
      return JSON.stringify(claims);
    };
    const seal = (text: string) => this.#seal.seal(PURPOSE, this.#boundTo(caller), text);
    const client = info ? claimClient(info) : null;
    const text = write(capabilities, client);
    // Sealing compresses, but a much longer text need not be tried.
    let id = text.length > MAX_SESSION_ID_LENGTH * 8 ? undefined : await seal(text);
    if (id === undefined || id.length > MAX_SESSION_ID_LENGTH)
      id = await seal(write(essential(capabilities), client && [client[0], client[1]]));
    this.#uninitialized.set(ownText(serialOf(id)), true);
    this.#elsewhere?.sessions.begin(ownText(serialOf(id)));
    return id;
  }

  /** Notes that a client has sent `notifications/initialized`. Returns whether its session began here. */
  initialized({ serial }: Pick<HttpSession, 'serial'>): boolean {
    const beganHere = this.#uninitialized.get(serial) === true;
    this.#uninitialized.delete(serial);
    return beganHere;
  }

  /**
   * The session of an id; undefined if it is invalid, expired or ended, or belongs to another principal. What it holds
   * counts for `address` as well.
   */
  find(id: string, caller: Caller | undefined, address?: AddressTally): Awaitable<HttpSession | undefined> {
    const known = this.#recall(id);
    const found = known
      ? this.#use(known, caller)
      : this.#open(id, caller, address).then(session => session && this.#use(session, caller));
    const shared = this.#elsewhere?.sessions;
    if (!shared) return found;
    return andThen(found, session => session && this.#refresh(session, shared));
  }

  #refresh(session: HttpSession, shared: Elsewhere['sessions']): Awaitable<HttpSession | undefined> {
    return andThen(shared.refresh(session), () => (this.#ended.has(session) ? undefined : session));
  }

  /** In a cluster the store knows all ended sessions. */
  get #unknownUntil(): number {
    return this.#elsewhere ? 0 : this.#ended.unknownUntil;
  }

  #use(session: HttpSession, caller: Caller | undefined): HttpSession | undefined {
    const now = Date.now();
    if (session.principal !== caller?.principal) return undefined;
    if (this.#ended.has(session) || now > session.issuedAt + SESSION_LIFETIME_MS) return undefined;
    if (now - session.lastUsed > REMEMBER_EVERY_MS) this.#remember(session);
    session.lastUsed = now;
    session.wasUsed = true;
    return session;
  }

  #recall(id: string): HttpSession | undefined {
    const serial = serialOf(id);
    const session = this.known(serial);
    return session?.id === id ? session : undefined;
  }

  /** A session that is in memory. */
  known(serial: string): HttpSession | undefined {
    return this.#recent.get(serial) ?? this.#kept.get(serial);
  }

  /** Ends a session, which need not be in memory. */
  end({ serial, issuedAt }: Pick<HttpSession, 'serial' | 'issuedAt'>): void {
    this.#ended.add({ serial, issuedAt });
    const session = this.known(serial);
    if (session) this.#drop(session);
  }

  async #open(
    id: string,
    caller: Caller | undefined,
    address: AddressTally | undefined,
  ): Promise<HttpSession | undefined> {
    if (id.length > MAX_SESSION_ID_LENGTH) return undefined;
    const text = await this.#seal.open(PURPOSE, this.#boundTo(caller), id);
    if (text === undefined) return undefined;
    const [name, issuedAt, capabilities, client, declared] = JSON.parse(text) as SessionClaims;
    const revision = findLegacy(name);
    if (!revision || !this.#revisions.includes(revision) || issuedAt * 1000 <= this.#unknownUntil)
      return undefined;
    // Two requests may open the same id at once; they must end up with the same session.
    const known = this.#recall(id);
    if (known) return known;
    const description = { info: client ? readClient(client) : undefined, capabilities };
    const handshake = toHandshake(revision, description, this.#declared(declared), this.#service.claims);
    const principal = caller?.principal;
    const own = this.#ledger.open(address);
    const session = new HttpSession(
      handshake,
      this.#running.createList(),
      principal === undefined ? () => own : () => this.#ledger.accountOf(principal),
      this.#service,
      { id, principal, issuedAt: issuedAt * 1000, bytes: SESSION_BYTES + id.length + text.length * 8 },
      evicted => this.#drop(evicted),
    );
    this.#account.add(session.bytes);
    this.#ledger.evictable.add(session);
    session.isNew = this.#uninitialized.get(session.serial) === true;
    session.elsewhere = this.#elsewhere;
    session.questionPrefix = this.#elsewhere?.questionPrefix ?? '';
    this.#remember(session);
    return session;
  }

  /** The capabilities that were declared in a handshake. Extensions are the same for the life of a server. */
  #declared(bits: number): ServerCapabilities {
    const capabilities = unpackDeclared(bits);
    const { extensions } = this.#service.capabilities();
    return extensions ? { ...capabilities, extensions } : capabilities;
  }

  /** An id can be opened only for the principal that it was created for. */
  #boundTo(caller: Caller | undefined): string {
    return JSON.stringify(caller?.principal ?? null);
  }

  #remember(session: HttpSession): void {
    const { serial } = session;
    this.#kept.delete(serial);
    this.#recent.delete(serial);
    this.#recent.set(serial, session);
    const isHeavy = this.#account.held > this.#ledger.limit * MAX_SESSIONS_SHARE;
    if (this.#recent.size <= MAX_RECENT_SESSIONS && !isHeavy) return;
    const [oldSerial, old] = this.#recent.entries().next().value as [string, HttpSession];
    if (old === session) return;
    if (!old.hasState) return this.#drop(old);
    this.#recent.delete(oldSerial);
    this.#kept.set(oldSerial, old);
    this.#dropIdle();
  }

  /**
   * Forgets a session. Its id still opens it, unless state is lost that the id does not carry: then the session is over,
   * because its client believes that the state is still there.
   */
  #drop(session: HttpSession): void {
    const wasKnown = this.#recent.delete(session.serial) || this.#kept.delete(session.serial);
    if (!wasKnown) return;
    this.#account.remove(session.bytes);
    this.#ledger.evictable.delete(session);
    if (session.holdsState && !this.#elsewhere) this.#ended.add(session);
    session.forget();
  }

  /** Checks only the two that were used longest ago, so that the cost does not grow with their number. */
  #dropIdle(): void {
    const now = Date.now();
    for (let looked = 0; looked < 2; looked++) {
      const [oldest] = this.#kept;
      if (!oldest) return;
      const [serial, session] = oldest;
      const isIdle = session.lastUsed <= now - SESSION_IDLE_MS || !session.hasState;
      if (!isIdle && this.#kept.size <= MAX_KEPT_SESSIONS) return;
      if (!session.isInUse) {
        this.#drop(session);
        continue;
      }
      session.lastUsed = now;
      this.#kept.delete(serial);
      this.#kept.set(serial, session);
    }
  }
}

/**
 * The end of an id, which is the tag of its seal, identifies it. The whole id would do as well, but a map reads the
 * whole key each time.
 */
function serialOf(id: string): string {
  return id.slice(-SERIAL_LENGTH);
}
