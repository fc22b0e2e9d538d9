import { isObject } from '../../base/json.js';
import { AccessError } from './errors.js';
import type { CredentialStore } from './store.js';
import type { TokenSet } from './tokens.js';

/** The stored entry: the tokens, and the lease of the process that is obtaining new ones. */
interface Entry {
  tokens?: TokenSet;
  lease?: { id: string; until: number };
}

/** How long other processes wait for one that holds the lease and shows no further activity. */
const LEASE_MS = 20_000;
const POLL_MS = 25;
const MAX_SAVES = 5;

/**
 * The tokens for one server, shared by several processes through one store. Only one process obtains new tokens at a
 * time, because most authorization servers treat a refresh token that is used twice as stolen.
 */
export class SharedTokens {
  readonly #store: CredentialStore;
  readonly #key: string;
  readonly #warn: (message: string) => void;
  /** The tokens that this process knows; the store may have newer ones. */
  current: TokenSet | undefined;
  /** Tokens that could not be stored, so that no other process has them. */
  #unsaved: TokenSet | undefined;

  constructor(store: CredentialStore, key: string, warn: (message: string) => void) {
    this.#store = store;
    this.#key = key;
    this.#warn = warn;
  }

  async load(): Promise<TokenSet | undefined> {
    const { entry } = await this.#read();
    this.current = this.#unsaved ?? entry.tokens;
    return this.current;
  }

  /**
   * Returns tokens that are not stale: those that another process has obtained meanwhile, or new ones from `obtain`. If
   * `obtain` throws, the stored tokens stay as they were.
   */
  async renew(
    isStale: (tokens: TokenSet) => boolean,
    obtain: (old: TokenSet | undefined) => Promise<TokenSet>,
  ): Promise<TokenSet> {
    for (;;) {
      if (this.#unsaved) await this.#save(this.#unsaved);
      const { entry, version } = await this.#read();
      const { tokens, lease } = entry;
      if (tokens && !isStale(tokens)) {
        this.current = tokens;
        return tokens;
      }
      const wait = (lease?.until ?? 0) - Date.now();
      if (wait > 0) await pause(Math.min(wait, POLL_MS * (1 + Math.random())));
      else {
        const claim = await Claim.make(this.#store, this.#key, entry, version);
        if (claim) return this.#obtain(claim, tokens, obtain);
        // Another process was faster. The pause keeps a store that contradicts itself from blocking the event loop.
        await pause(POLL_MS * Math.random());
      }
    }
  }

  /** Stores tokens, and overwrites older ones. */
  async put(tokens: TokenSet): Promise<void> {
    this.current = tokens;
    await this.#save(tokens);
    if (this.#unsaved) throw new AccessError('store', 'the tokens could not be stored');
  }

  /** Removes the tokens. */
  async clear(): Promise<void> {
    this.current = undefined;
    this.#unsaved = undefined;
    for (;;) {
      const { version } = await this.#read();
      if (version === undefined || (await this.#store.replace(this.#key, undefined, version))) return;
    }
  }

  async #obtain(
    claim: Claim,
    old: TokenSet | undefined,
    obtain: (old: TokenSet | undefined) => Promise<TokenSet>,
  ): Promise<TokenSet> {
    try {
      const tokens = await obtain(old);
      this.current = tokens;
      await claim.stop();
      await this.#save(tokens);
      return tokens;
    } catch (error) {
      await claim.release();
      throw error;
    }
  }

  /** Overwrites older tokens, which may be invalid by now. */
  async #save(tokens: TokenSet): Promise<void> {
    this.#unsaved = tokens;
    try {
      for (let tries = 0; tries < MAX_SAVES && this.#unsaved === tokens; tries++) {
        const { entry, version } = await this.#read();
        if ((entry.tokens?.obtainedAt ?? 0) > tokens.obtainedAt) this.#unsaved = undefined;
        else if (await this.#store.replace(this.#key, JSON.stringify({ tokens }), version))
          this.#unsaved = undefined;
      }
    } catch (error) {
      this.#warn(`the new tokens are in use, but could not be stored: ${(error as Error).message}`);
    }
  }

  async #read(): Promise<{ entry: Entry; version: string | undefined }> {
    const stored = await this.#store.get(this.#key);
    return { entry: stored ? readEntry(stored.value) : {}, version: stored?.version };
  }
}

/** The lease to obtain new tokens, until it is released or its holder stops extending it. */
class Claim {
  readonly #store: CredentialStore;
  readonly #key: string;
  readonly #tokens: TokenSet | undefined;
  readonly #timer: ReturnType<typeof setInterval>;
  #version: string | undefined;
  #extending: Promise<void> | undefined;

  static async make(
    store: CredentialStore,
    key: string,
    { tokens }: Entry,
    version: string | undefined,
  ): Promise<Claim | undefined> {
    const value = leased(tokens);
    if (!(await store.replace(key, value, version))) return undefined;
    const stored = await store.get(key);
    return stored?.value === value ? new Claim(store, key, tokens, stored.version) : undefined;
  }

  private constructor(store: CredentialStore, key: string, tokens: TokenSet | undefined, version: string) {
    this.#store = store;
    this.#key = key;
    this.#tokens = tokens;
    this.#version = version;
    this.#timer = setInterval(() => {
      this.#extending ??= this.#extend().finally(() => {
        this.#extending = undefined;
      });
    }, LEASE_MS / 3);
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.#extending;
  }

  /** Lets other processes try. If this write fails, they can as soon as the lease ends. */
  async release(): Promise<void> {
    await this.stop();
    await this.#write(this.#tokens && JSON.stringify({ tokens: this.#tokens })).catch(() => {});
  }

  /** A user may take longer to sign in than one lease lasts. */
  async #extend(): Promise<void> {
    await this.#write(leased(this.#tokens)).catch(() => {});
  }

  async #write(value: string | undefined): Promise<void> {
    const isWritten =
      this.#version !== undefined && (await this.#store.replace(this.#key, value, this.#version));
    const stored = isWritten ? await this.#store.get(this.#key) : undefined;
    this.#version = stored?.value === value ? stored?.version : undefined;
  }
}

function leased(tokens: TokenSet | undefined): string {
  const lease = { id: crypto.randomUUID(), until: Date.now() + LEASE_MS };
  return JSON.stringify({ ...(tokens && { tokens }), lease });
}

function readEntry(value: string): Entry {
  try {
    const entry: unknown = JSON.parse(value);
    if (isObject(entry) && (entry.tokens === undefined || isTokenSet(entry.tokens))) return entry as Entry;
  } catch {
    // The error is thrown below.
  }
  throw new AccessError(
    'store',
    'the entry for tokens in the store is not readable; remove it to sign in again',
  );
}

/** Entries are written by this class; this check only detects other content. */
function isTokenSet(tokens: unknown): boolean {
  return isObject(tokens) && typeof tokens.accessToken === 'string' && typeof tokens.issuer === 'string';
}

function pause(ms: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, ms));
}
