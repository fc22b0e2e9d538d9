import type { Link, LinkHost, RequestOptions } from '../eras/link.js';
import { contradictsVerdict, type Dialer, negotiate, type Verdict } from '../eras/negotiate.js';
import { McpError } from '../protocol/errors.js';
import { ConnectionError, HttpError } from '../protocol/failures.js';
import type { JsonObject } from '../protocol/json.js';
import { findRevision, REVISIONS, type Revision } from '../revisions/index.js';
import type { ClientOptions } from './options.js';

/** How a server is reached. */
export interface Location {
  dialer: Dialer;
  /** Names the server in a cache. */
  name: string;
  /** Whether a lost connection is made again by the next request. */
  reconnects: boolean;
}

const TIMEOUT = 60_000;
const MAX_TIMEOUT = 5 * 60_000;
const PROBE_TIMEOUT = 5000;

/** Requests that change nothing, so that they may be sent again if nobody knows whether they arrived. */
const SAFE: ReadonlySet<string> = new Set([
  'server/discover',
  'ping',
  'tools/list',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'completion/complete',
]);

/** Keeps a link to a server: opens it, and opens another where the first has broken or was of the wrong kind. */
export class Connection {
  readonly #location: Location;
  readonly #options: ClientOptions;
  readonly #host: LinkHost;
  #verdict: Verdict | undefined;
  #link: Link | undefined;
  #opening: Promise<Link> | undefined;
  /** Whether the server has answered as expected, so that its errors are about the requests. */
  #isTrusted = false;
  readonly #closing = new AbortController();

  constructor(location: Location, options: ClientOptions, host: Omit<LinkHost, 'lost'>) {
    this.#location = location;
    this.#options = options;
    this.#verdict = options.verdict;
    this.#host = { ...host, lost: (link, reason) => this.#lost(link, reason) };
  }

  /** Aborts when the connection is closed. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  get link(): Link {
    if (!this.#link) throw new ConnectionError('the client is not connected');
    return this.#link;
  }

  get verdict(): Verdict {
    if (!this.#verdict) throw new ConnectionError('the client is not connected');
    return this.#verdict;
  }

  open(): Promise<Link> {
    if (this.closing.aborted) return Promise.reject(new ConnectionError('the client was closed'));
    if (this.#link) return Promise.resolve(this.#link);
    this.#opening ??= this.#negotiate().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async send(method: string, params: JsonObject, options: RequestOptions): Promise<JsonObject> {
    const limits = this.limits(options);
    const link = this.#link ?? (await this.open());
    try {
      const result = await link.request(method, params, limits);
      this.#isTrusted = true;
      return result;
    } catch (error) {
      const another = await this.#another(link, method, error);
      if (!another) throw error;
      return another.request(method, params, limits);
    }
  }

  /** The limits of a request, where it sets none of its own. */
  limits({ timeout, maxTimeout, signal, onProgress, headers }: RequestOptions): RequestOptions {
    const own = timeout ?? this.#options.timeout ?? TIMEOUT;
    const longest = maxTimeout ?? Math.max(this.#options.maxTimeout ?? MAX_TIMEOUT, own);
    return { timeout: own, maxTimeout: longest, signal, onProgress, headers };
  }

  async close(): Promise<void> {
    if (this.closing.aborted) return;
    this.#closing.abort();
    const link = this.#link ?? (await this.#opening?.catch(() => undefined));
    await link?.close();
  }

  async #negotiate(): Promise<Link> {
    const { timeout = TIMEOUT, probeTimeout = PROBE_TIMEOUT, signal, revision } = this.#options;
    const verdict = this.#verdict;
    const pinned = revision === undefined ? undefined : readRevision(revision);
    const limits = { probeTimeout, timeout, signal };
    const found = await negotiate(this.#location.dialer, this.#host, { ...limits, pinned, verdict });
    if (this.closing.aborted) {
      await found.link.close();
      throw new ConnectionError('the client was closed');
    }
    this.#isTrusted = !verdict;
    this.#link = found.link;
    this.#verdict = found.verdict;
    return found.link;
  }

  /** The link over which a failed request may be sent once more, if that can help and does no harm. */
  async #another(link: Link, method: string, error: unknown): Promise<Link | undefined> {
    if (this.closing.aborted) return undefined;
    const isDoubtful = !this.#isTrusted && error instanceof McpError;
    if (isDoubtful || contradictsVerdict(error)) return this.#reconsider(link);
    const isBroken = error instanceof ConnectionError && !(error instanceof HttpError);
    return isBroken && SAFE.has(method) && this.#location.reconnects ? this.open() : undefined;
  }

  /** The server may not be what it was: finds out anew. Returns nothing if it is. */
  async #reconsider(link: Link): Promise<Link | undefined> {
    this.#isTrusted = true;
    if (this.#options.revision !== undefined) return undefined;
    const verdict = this.#verdict;
    if (this.#link === link) this.#link = undefined;
    this.#verdict = undefined;
    const found = await this.open().catch(() => undefined);
    if (!found) {
      this.#link = link;
      this.#verdict = verdict;
      return undefined;
    }
    await link.close().catch(() => {});
    return found.revision === link.revision ? undefined : found;
  }

  #lost(link: Link | undefined, reason: Error | undefined): void {
    if (!link || link !== this.#link || this.closing.aborted) return;
    if (this.#location.reconnects) this.#link = undefined;
    this.#options.onClose?.(reason);
  }
}

function readRevision(name: string): Revision {
  const revision = findRevision(name);
  if (revision) return revision;
  const known = REVISIONS.map(({ name }) => name).join(', ');
  throw new RangeError(`there is no revision ${name}; known are ${known}`);
}
