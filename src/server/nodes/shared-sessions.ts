import { UsageError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json.js';
import { tellOncePerProcess } from '../../base/once-per-process.js';
import { Recent } from '../../base/recent.js';
import type { Awaitable } from '../../base/settle.js';
import type { Service } from '../../protocol/service.js';
import type { Stored } from '../cluster/cluster.js';
import { StoreAway } from '../cluster/store-away.js';
import { MAX_BEGUN_SESSIONS, MAX_SHARED_STATE, SESSION_LIFETIME_MS } from '../limits.js';
import type { ClusterNode } from './node.js';
import {
  hasValues,
  isReadAlways,
  isSame,
  mergeStates,
  readSessionState,
  type SessionState,
  type StatefulSession,
  writeState,
} from './session-state.js';

/** A session whose state and end are shared. */
export interface SharedSession extends StatefulSession {
  readonly serial: string;
  readonly issuedAt: number;
  /** Whether it has state now. */
  readonly holdsState: boolean;
}

/** The sessions of this node. */
export interface SessionsHere<S extends SharedSession = SharedSession> {
  /** Finds a session that is in memory. */
  known(serial: string): S | undefined;
  /** Called when a session was ended on another node. It may not be in memory. */
  ended(session: { serial: string; issuedAt: number }): void;
  /** Called when a client has sent `notifications/initialized` to another node. */
  initialized(serial: string): void;
}

/** What the store has about a session. */
interface StoredSession {
  readonly state?: SessionState;
  readonly ended?: boolean;
}

/** What this node knows of the store's copy of a session. */
interface Copy {
  state: SessionState;
  version: string | undefined;
  /** Whether nothing newer is known to be in the store: as of this number of gaps, or never. */
  readAt: number;
  loading: Promise<void> | undefined;
  saving: Promise<void>;
}

const MAX_ATTEMPTS = 20;

/**
 * Shares the state of sessions. A session is read when it is first seen, when another node says that it changed, and,
 * while the author keeps values in it, with every request; all others need no store. It is written when it changed.
 */
export class SharedSessions {
  readonly #node: ClusterNode;
  readonly #here: SessionsHere;
  readonly #warn: Service['warn'];
  readonly #copies = new WeakMap<SharedSession, Copy>();
  /** The sessions that began here and have no state, as far as is known. */
  readonly #begun = new Recent<true>(MAX_BEGUN_SESSIONS);
  readonly #ends: readonly (() => void)[];
  #gaps = 0;

  constructor(node: ClusterNode, here: SessionsHere, warn: Service['warn']) {
    this.#node = node;
    this.#here = here;
    this.#warn = warn;
    this.#ends = [
      node.on('session', ({ serial }) => this.#changedElsewhere(serial as string)),
      node.on('ended', content => {
        here.ended(content as { serial: string; issuedAt: number });
        return {};
      }),
      node.on('initialized', ({ serial }) => {
        here.initialized(serial as string);
        return undefined;
      }),
      node.onGap(() => {
        this.#gaps++;
      }),
    ];
  }

  /** Notes that a session begins here. */
  begin(serial: string): void {
    this.#begun.set(serial, true);
  }

  /** Tells the other nodes that a client is initialized: the node where its session began waits for that. */
  async tellInitialized({ serial }: SharedSession): Promise<void> {
    await this.#node.tell('initialized', { serial }).catch(failAway);
  }

  /** Brings a session up to date before a request. Rejects with `StoreAway`. */
  refresh(session: SharedSession): Awaitable<void> {
    const copy = this.#copyOf(session);
    if (copy.readAt === this.#gaps && !hasValues(copy.state)) return undefined;
    copy.loading ??= this.#load(session, copy).finally(() => {
      copy.loading = undefined;
    });
    return copy.loading;
  }

  /** Writes the state of a session, if it has changed. Rejects with `StoreAway`, or if the state is too large. */
  save(session: SharedSession): Awaitable<void> {
    const copy = this.#copyOf(session);
    if (!session.holdsState && Object.keys(copy.state).length === 0) return undefined;
    if (isSame(this.#read(session), copy.state)) return undefined;
    copy.saving = copy.saving.catch(() => undefined).then(() => this.#save(session, copy));
    return copy.saving;
  }

  /** Ends a session on all nodes. Rejects with `StoreAway`, and then it has not ended. */
  async end({ serial, issuedAt }: SharedSession): Promise<void> {
    const ended: StoredSession = { ended: true };
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const stored = await this.#node
        .use(cluster => cluster.read(this.#node.names.session(serial)))
        .catch(failAway);
      if ((await this.#write({ serial, issuedAt }, ended, stored?.version)) !== undefined) break;
    }
    await this.#node.inform('ended', { serial, issuedAt }).catch(failAway);
  }

  close(): void {
    for (const end of this.#ends) end();
  }

  #copyOf(session: SharedSession): Copy {
    let copy = this.#copies.get(session);
    if (!copy) {
      const readAt = this.#begun.get(session.serial) ? this.#gaps : -1;
      copy = { state: {}, version: undefined, readAt, loading: undefined, saving: Promise.resolve() };
      this.#copies.set(session, copy);
    }
    return copy;
  }

  /** Resolves when the session is up to date here: its streams need the new subscriptions. */
  async #changedElsewhere(serial: string): Promise<JsonObject> {
    this.#begun.delete(serial);
    const session = this.#here.known(serial);
    if (!session) return {};
    const copy = this.#copyOf(session);
    copy.readAt = -1;
    try {
      // A reading that was under way may be of the state before.
      while (copy.readAt < 0) await this.refresh(session);
    } catch {
      // The next request tries again.
    }
    return {};
  }

  async #load(session: SharedSession, copy: Copy): Promise<void> {
    let stored: Stored | undefined;
    let found: StoredSession;
    let before: string | undefined;
    try {
      // While it is read, another reading or a write of this node may end: then this may be an older state.
      do {
        copy.readAt = this.#gaps;
        before = copy.version;
        stored = await this.#node.use(cluster => cluster.read(this.#node.names.session(session.serial)));
      } while (copy.version !== before);
      found = stored ? JSON.parse(stored.value) : {};
    } catch (thrown) {
      copy.readAt = -1;
      throw new StoreAway(thrown);
    }
    const { state = {}, ended } = found;
    if (ended) return this.#here.ended(session);
    const here = this.#read(session);
    writeState(session, here, mergeStates(copy.state, here, state));
    copy.state = state;
    copy.version = stored?.version;
  }

  async #save(session: SharedSession, copy: Copy): Promise<void> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      // A session that was dropped meanwhile has lost its state here, but not elsewhere.
      if (this.#here.known(session.serial) !== session) return;
      const state = this.#read(session);
      if (isSame(state, copy.state)) return;
      const version = await this.#write(session, { state }, copy.version);
      if (version === undefined) {
        await this.#load(session, copy);
        continue;
      }
      const isRead = isReadAlways(copy.state, state);
      copy.state = state;
      copy.version = version;
      const told = { serial: session.serial };
      // If the others do not hear it, they will know that they missed something.
      return (isRead ? this.#node.tell('session', told) : this.#node.inform('session', told)).catch(
        () => undefined,
      );
    }
  }

  #write(
    { serial, issuedAt }: Pick<SharedSession, 'serial' | 'issuedAt'>,
    stored: StoredSession,
    was: string | undefined,
  ): Promise<string | undefined> {
    const text = JSON.stringify(stored);
    if (text.length > MAX_SHARED_STATE)
      throw new UsageError(
        `session.values are too large to be shared: the state of a session may have ${MAX_SHARED_STATE} characters`,
      );
    const options = { was, expiresAt: issuedAt + SESSION_LIFETIME_MS };
    return this.#node
      .use(cluster => cluster.write(this.#node.names.session(serial), text, options))
      .catch(failAway);
  }

  #read(session: SharedSession): SessionState {
    return readSessionState(session, name => {
      const local = `the value "${name}" of a session is no JSON, so other nodes do not have it`;
      tellOncePerProcess(local, text => this.#warn(text, 'sessions'));
    });
  }
}

function failAway(thrown: unknown): never {
  throw new StoreAway(thrown);
}
