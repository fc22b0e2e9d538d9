import { canonicalText } from '../base/canonical.js';
import { isObject, type JsonObject } from '../base/json.js';
import type { Awaitable } from '../base/settle.js';
import { parseLarge } from '../jsonrpc/message.js';
import { type CacheHint, readCacheHint } from '../protocol/caching.js';
import type { ClientCapabilities } from '../protocol/capabilities.js';
import type { Change } from '../protocol/changes.js';
import { beforeWork, measure } from './weight.js';

/** A result in the cache. */
export interface CacheEntry {
  /** The result, as JSON. */
  text: string;
  /** When the request was sent and when the result arrived, in milliseconds since 1970. */
  requestedAt: number;
  receivedAt: number;
  ttlMs: number;
}

/** Stores results. Implement it to share a cache between processes. */
export interface CacheStore {
  get(key: string): Awaitable<CacheEntry | undefined>;
  set(key: string, entry: CacheEntry): Awaitable<void>;
}

/**
 * How one request uses the cache: `use` reads and writes it, `bypass` ignores it, `refresh` only writes the new result.
 */
export type CacheMode = 'use' | 'bypass' | 'refresh';

/**
 * A cache in this process, limited in results and in characters. When it is full, the oldest entries are removed.
 *
 * @example
 * const cache = memoryCache(100);
 * const client = await connect('https://bistro.example/mcp', { cache });
 */
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

/** A result found in the cache. */
export interface KeptResult {
  result: JsonObject;
  isFresh: boolean;
}

/** For each method that can be cached: the kind of change that makes its results stale. */
const KINDS: ReadonlyMap<string, (params: JsonObject) => string> = new Map([
  ['server/discover', () => 'server'],
  ['tools/list', () => 'tools'],
  ['prompts/list', () => 'prompts'],
  ['resources/list', () => 'resources'],
  ['resources/templates/list', () => 'resources'],
  ['resources/read', ({ uri }: JsonObject) => `resource ${uri}`],
]);

/** A request whose result may be cached. */
export interface CacheableRequest {
  method: string;
  params: JsonObject;
  /** Identifies the authorization that a private result belongs to. Without it, only public results are cached. */
  owner: string | undefined;
}

/**
 * Caches results for as long as their servers allow.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
 */
export class ResultCache {
  readonly #store: CacheStore;
  /** The parts of the key that all results have. */
  readonly #common: readonly unknown[];
  readonly #invalidatedAt = new Map<string, number>();

  /** `server` identifies the server. What it returns, also to everybody, may depend on the client's capabilities. */
  constructor(store: CacheStore, server: string, capabilities: ClientCapabilities) {
    this.#store = store;
    this.#common = [server, capabilities];
  }

  /**
   * Whether results of a request may be cached at all. Results of later rounds depend on more than their parameters.
   */
  static covers(method: string, params: JsonObject): boolean {
    return KINDS.has(method) && !('inputResponses' in params) && !('requestState' in params);
  }

  /** Finds a cached result and says whether it is fresh. Stale results are returned only if `canBeStale` is set. */
  async find(request: CacheableRequest, canBeStale: boolean): Promise<KeptResult | undefined> {
    let found: KeptResult | undefined;
    for (const scope of ['public', 'private'] as const) {
      const key = this.#key(scope, request);
      const entry = key === undefined ? undefined : await this.#store.get(key);
      const isFresh = entry !== undefined && this.#isFresh(request, entry);
      if (entry && (isFresh || canBeStale)) {
        found = { result: (await parseLarge(entry.text)) as JsonObject, isFresh };
      }
      if (isFresh) break;
    }
    return found;
  }

  /** Stores a result if its server allows it. A result requested before a change is not stored after that change. */
  async keep(request: CacheableRequest, requestedAt: number, result: JsonObject): Promise<void> {
    const hint: CacheHint | undefined = readCacheHint(result);
    if (!hint || hint.ttlMs === 0 || result.resultType === 'input_required') return;
    const key = this.#key(hint.cacheScope, request);
    if (key === undefined) return;
    await beforeWork(result);
    if (!measure(result, MAX_VALUES)) return;
    const entry = { text: JSON.stringify(result), requestedAt, receivedAt: Date.now(), ttlMs: hint.ttlMs };
    if (!this.#isFresh(request, entry)) return;
    await this.#store.set(key, entry);
    await beforeWork(result);
  }

  /** Marks everything as stale that depends on what changed. */
  invalidate(change: Change): void {
    if (change.kind === 'elicitation') return;
    this.#invalidate(change.kind === 'resource' ? `resource ${change.uri}` : change.kind);
  }

  /** Marks all results as stale that change together with the result of a request, such as the pages of a list. */
  discard({ method, params }: Pick<CacheableRequest, 'method' | 'params'>): void {
    this.#invalidate(kindOf(method, params));
  }

  #invalidate(kind: string): void {
    this.#invalidatedAt.set(kind, Date.now());
    if (this.#invalidatedAt.size > MAX_KINDS || kind.length > MAX_KIND) this.#forget();
  }

  #isFresh({ method, params }: CacheableRequest, entry: CacheEntry): boolean {
    const kind = kindOf(method, params);
    const changedAt = this.#invalidatedAt.get(kind) ?? this.#invalidatedAt.get(ANYTHING) ?? -1;
    // If both happened in the same millisecond, their order is unknown, so the entry counts as stale.
    return entry.requestedAt > changedAt && Date.now() < entry.receivedAt + entry.ttlMs;
  }

  /** Too many resources have changed to remember each one, so everything requested before now becomes stale. */
  #forget(): void {
    this.#invalidatedAt.clear();
    this.#invalidatedAt.set(ANYTHING, Date.now());
  }

  /** The key of a result; undefined for a private one that belongs to nobody. */
  #key(scope: CacheHint['cacheScope'], { method, params, owner }: CacheableRequest): string | undefined {
    const isPublic = scope === 'public';
    if (!isPublic && owner === undefined) return undefined;
    return canonicalText([...this.#common, isPublic ? null : owner, method, withOwnMeta(params)]);
  }
}

/** Parameters without the part of `_meta` that does not affect the result: progress tokens and traces, new in each request. */
function withOwnMeta({ _meta, ...params }: JsonObject): JsonObject {
  const { progressToken, traceparent, tracestate, ...meta } = isObject(_meta) ? _meta : {};
  return { ...params, _meta: meta };
}

function kindOf(method: string, params: JsonObject): string {
  return KINDS.get(method)?.(params) ?? '';
}

/** A result with more values takes too long to serialize. Strings may have any length. */
const MAX_VALUES = 50_000;
const ANYTHING = '*';
const MAX_KINDS = 10_000;
const MAX_KIND = 4096;
