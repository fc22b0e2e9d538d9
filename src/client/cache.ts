import { canonicalText } from '../base/canonical.js';
import type { JsonObject } from '../base/json.js';
import type { Awaitable } from '../base/settle.js';
import { parseLarge } from '../jsonrpc/message.js';
import { type CacheHint, readCacheHint } from '../protocol/caching.js';
import type { Change } from '../protocol/changes.js';
import { beforeWork, weigh } from './weight.js';

/** A result as it is kept. */
export interface CacheEntry {
  /** The result, as JSON. */
  text: string;
  /** When it was asked for and when it came, in milliseconds since 1970. */
  requestedAt: number;
  receivedAt: number;
  ttlMs: number;
}

/** Where results are kept. Implement it to share them between processes. */
export interface CacheStore {
  get(key: string): Awaitable<CacheEntry | undefined>;
  set(key: string, entry: CacheEntry): Awaitable<void>;
}

/** How one request uses the cache: as usual, not at all, or only to put in what it gets. */
export type CacheMode = 'use' | 'bypass' | 'refresh';

/** Keeps at most so many results, and characters of them, in this process; those that were put in first go first. */
export function memoryCache(maxEntries = 1000, maxCharacters = 32 * 1024 * 1024): CacheStore {
  const entries = new Map<string, CacheEntry>();
  let characters = 0;
  const remove = (key: string) => {
    characters -= sizeOf(key, entries.get(key));
    entries.delete(key);
  };
  return {
    get: key => entries.get(key),
    set(key, entry) {
      remove(key);
      entries.set(key, entry);
      characters += sizeOf(key, entry);
      for (const oldest of entries.keys()) {
        if (entries.size <= maxEntries && characters <= maxCharacters) return;
        remove(oldest);
      }
    },
  };
}

function sizeOf(key: string, entry: CacheEntry | undefined): number {
  return entry ? key.length + entry.text.length : 0;
}

/** A result that was kept. */
export interface KeptResult {
  result: JsonObject;
  isFresh: boolean;
}

/** What must be told to have changed before a kept result of a method is stale. */
const KINDS: ReadonlyMap<string, (params: JsonObject) => string> = new Map([
  ['server/discover', () => 'server'],
  ['tools/list', () => 'tools'],
  ['prompts/list', () => 'prompts'],
  ['resources/list', () => 'resources'],
  ['resources/templates/list', () => 'resources'],
  ['resources/read', ({ uri }: JsonObject) => `resource ${uri}`],
]);

/**
 * Results that may be used again, as their servers said.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
 */
export class ResultCache {
  readonly #store: CacheStore;
  readonly #server: string;
  readonly #partition: string;
  readonly #invalidatedAt = new Map<string, number>();

  /** `server` names the server and `partition` whose authorization its private results belong to. */
  constructor(store: CacheStore, server: string, partition: string) {
    this.#store = store;
    this.#server = server;
    this.#partition = partition;
  }

  /** Whether results of a request may be kept at all. Those of later rounds depend on more than its parameters. */
  static covers(method: string, params: JsonObject): boolean {
    return KINDS.has(method) && !('inputResponses' in params) && !('requestState' in params);
  }

  /** A kept result, and whether it is still fresh. One that is not is only looked for if it is of use. */
  async find(method: string, params: JsonObject, canBeStale: boolean): Promise<KeptResult | undefined> {
    let found: KeptResult | undefined;
    for (const scope of ['public', 'private'] as const) {
      const entry = await this.#store.get(this.#key(scope, method, params));
      const isFresh = entry !== undefined && this.#isFresh(method, params, entry);
      if (entry && (isFresh || canBeStale)) {
        found = { result: (await parseLarge(entry.text)) as JsonObject, isFresh };
      }
      if (isFresh) break;
    }
    return found;
  }

  /** Keeps a result if its server allows. One that was asked for before a change is not kept after it. */
  async keep(method: string, params: JsonObject, requestedAt: number, result: JsonObject): Promise<void> {
    const hint: CacheHint | undefined = readCacheHint(result);
    if (!hint || hint.ttlMs === 0 || result.resultType === 'input_required') return;
    await beforeWork(result);
    if (!weigh(result, MAX_VALUES)) return;
    const entry = { text: JSON.stringify(result), requestedAt, receivedAt: Date.now(), ttlMs: hint.ttlMs };
    if (!this.#isFresh(method, params, entry)) return;
    await this.#store.set(this.#key(hint.cacheScope, method, params), entry);
    await beforeWork(result);
  }

  /** Makes everything stale that a change may have made wrong. */
  invalidate(change: Change): void {
    if (change.kind === 'elicitation') return;
    const kind = change.kind === 'resource' ? `resource ${change.uri}` : change.kind;
    this.#invalidatedAt.set(kind, Date.now());
    if (this.#invalidatedAt.size > MAX_KINDS || kind.length > MAX_KIND) this.#forget();
  }

  #isFresh(method: string, params: JsonObject, entry: CacheEntry): boolean {
    const kind = KINDS.get(method)?.(params) ?? '';
    const changedAt = this.#invalidatedAt.get(kind) ?? this.#invalidatedAt.get(ANYTHING) ?? -1;
    // Of two in the same millisecond nobody knows which came first.
    return entry.requestedAt > changedAt && Date.now() < entry.receivedAt + entry.ttlMs;
  }

  /** Too many resources have changed to remember each: whatever was got before now is stale. */
  #forget(): void {
    this.#invalidatedAt.clear();
    this.#invalidatedAt.set(ANYTHING, Date.now());
  }

  #key(scope: CacheHint['cacheScope'], method: string, { _meta, ...params }: JsonObject): string {
    const owner = scope === 'public' ? null : this.#partition;
    return canonicalText([this.#server, owner, method, params]);
  }
}

/** A result with more takes too long to be written. Texts may be of any length. */
const MAX_VALUES = 50_000;
const ANYTHING = '*';
const MAX_KINDS = 10_000;
const MAX_KIND = 4096;
