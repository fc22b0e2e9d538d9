import { onAbort } from '../base/abort.js';
import { UsageError } from '../base/errors.js';
import { isObject, type JsonObject } from '../base/json.js';
import { messageOf } from '../base/thrown.js';
import { type Change, isPartOf, type ListedChange } from '../protocol/changes.js';
import type { Claims } from '../protocol/extensions.js';
import { InvalidAnswer, NotSupported } from '../protocol/failures.js';
import { changesIn, isEmptyFilter, wantsChange } from '../protocol/filtered-changes.js';
import type { SubscriptionFilter } from '../protocol/subscription-filter.js';
import type { ChangeListener, Link } from './link.js';
import { pause } from './pause.js';
import { describeMissing } from './reported-changes.js';

/** The kinds of changes to listen to. */
export interface ChangeFilter {
  tools?: boolean | undefined;
  prompts?: boolean | undefined;
  /** `true` for the list of resources, URIs for the contents of those resources, or both. */
  resources?: boolean | readonly string[] | ResourceFilter | undefined;
  /** What extensions of the client can listen to, by the member of the filter: `{ taskIds: ['a'] }`. */
  notices?: Readonly<JsonObject> | undefined;
}

/** The list of resources, and the contents of single ones. */
export interface ResourceFilter {
  list?: boolean | undefined;
  uris?: readonly string[] | undefined;
}

/** Options of `client.changes`. */
export interface ChangeOptions {
  signal?: AbortSignal | undefined;
  /**
   * Called each time the subscription is active, with the part of the filter that the server reports: nothing of that is
   * missed for anything read after this. A warning names the other part.
   */
  onReady?: ((active: ChangeFilter) => void) | undefined;
}

/** A change that a server reported: of a list, of a resource, or a notice of an extension. */
export type ServerChange = ListedChange | Extract<Change, { kind: 'notice' }>;

/** The connection of a client. */
interface Connection {
  /** Aborts when the client is closed. */
  readonly closing: AbortSignal;
  open(): Promise<Link>;
}

/** The client as a subscription sees it. */
export interface ChangeHost {
  /** The parts that extensions of the client brought. */
  readonly claims: Claims | undefined;
  changed(change: Change): void;
  warn(message: string): void;
}

/** The wait before a broken subscription is opened again. It grows with each failure, up to the maximum. */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;
/** A subscription that lasted this long works. */
const LONG_MS = 10_000;
/** How often in a row a server may end a subscription soon after it acknowledged it. */
const MAX_SHORT = 5;
/** How many changes besides those of the filter are queued for a slow consumer; equal changes count once. */
const MAX_WAITING = 1000;
const MAX_URI = 8192;

/**
 * Yields the changes of a server until the consumer stops. A subscription that breaks is opened again. Changes in
 * between are unknown, so everything that the server reports is then taken as changed. The controller ends it as well.
 */
export async function* listenToChanges(
  connection: Connection,
  filter: ChangeFilter,
  { signal, onReady }: ChangeOptions,
  host: ChangeHost,
  controller: AbortController,
): AsyncGenerator<ServerChange, void, undefined> {
  const stop = () => controller.abort();
  const ignoreSignal = signal && onAbort(signal, stop);
  const ignoreClosing = onAbort(connection.closing, stop);
  const subscription = new Subscription(readFilter(filter, host.claims), onReady, host);
  const feeding = keepListening(() => connection.open(), subscription, controller.signal);
  feeding.catch(error => subscription.queue.fail(error));
  try {
    yield* subscription.queue.take(controller.signal);
  } finally {
    ignoreSignal?.();
    ignoreClosing();
    controller.abort();
    await feeding.catch(() => {});
  }
}

/** Opens a subscription, and opens it again whenever it ends. */
async function keepListening(
  connect: () => Promise<Link>,
  subscription: Subscription,
  signal: AbortSignal,
): Promise<void> {
  for (let failures = 0; !signal.aborted; failures++) {
    subscription.begin();
    let isOver = false;
    try {
      const link = await connect();
      // A connection that broke for good and is not replaced.
      isOver = link.isBroken;
      await link.listen(subscription.filter, subscription, signal);
      subscription.ended();
    } catch (error) {
      if (signal.aborted) return;
      // A subscription that never worked, or is not offered any more, will not start to work by itself.
      if (!subscription.wasReady || isOver || error instanceof NotSupported) throw error;
    }
    if (subscription.endsAtOnce) {
      throw new InvalidAnswer(
        `the server ended a subscription to changes at once, ${MAX_SHORT} times in a row`,
      );
    }
    if (subscription.hasWorked) failures = 0;
    await pause(Math.random() * Math.min(FIRST_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS), signal);
  }
}

/** One subscription of a consumer, over as many connections as it takes. */
class Subscription implements ChangeListener {
  readonly filter: SubscriptionFilter;
  readonly queue: Queue;
  readonly #onReady: ChangeOptions['onReady'];
  readonly #host: ChangeHost;
  /** What the author was last told to be missing. */
  #missing: string | undefined;
  #activeSince: number | undefined;
  #hasChanged = false;
  #short = 0;
  wasReady = false;

  constructor(filter: SubscriptionFilter, onReady: ChangeOptions['onReady'], host: ChangeHost) {
    this.filter = filter;
    this.queue = new Queue(changesIn(filter));
    this.#onReady = onReady;
    this.#host = host;
  }

  /** Whether the last connection reported something, or lasted. */
  get hasWorked(): boolean {
    return this.#hasChanged || (this.#activeSince !== undefined && Date.now() - this.#activeSince > LONG_MS);
  }

  begin(): void {
    this.#activeSince = undefined;
    this.#hasChanged = false;
  }

  /** The server ended the subscription. */
  ended(): void {
    this.#short = this.hasWorked ? 0 : this.#short + 1;
  }

  /** Whether the server ends every subscription at once: then it does not really report changes. */
  get endsAtOnce(): boolean {
    return this.#short >= MAX_SHORT;
  }

  acknowledged(active: SubscriptionFilter): void {
    this.#activeSince ??= Date.now();
    if (this.wasReady) for (const change of changesIn(active)) this.#put(change);
    this.wasReady = true;
    const missing = describeMissing(this.filter, active);
    if (missing !== undefined && missing !== this.#missing)
      this.#host.warn(`the server does not report changes of ${missing}`);
    this.#missing = missing;
    try {
      this.#onReady?.(writeFilter(active));
    } catch (error) {
      this.#host.warn(`a callback failed: ${messageOf(error)}`);
    }
  }

  changed(change: Change): void {
    if (change.kind === 'elicitation') return;
    if (change.kind === 'notice') return this.#noticed(change);
    // By what was asked for: some servers report more than they declared.
    if (change.kind !== 'resource') {
      if (!wantsChange(this.filter, change)) return;
    } else {
      const watched = this.filter.resourceSubscriptions?.filter(uri => isPartOf(uri, change.uri)) ?? [];
      if (watched.length === 0) return;
      // What was read of a resource is stale when a part of it has changed.
      for (const uri of watched) this.#host.changed({ kind: 'resource', uri });
    }
    this.#hasChanged = true;
    this.queue.put(change);
  }

  /** Where the server knows no filter, it sends the notices of every member. */
  #noticed(notice: Extract<Change, { kind: 'notice' }>): void {
    const members = Object.keys(this.filter.own ?? {});
    const { notices } = this.#host.claims as Claims;
    if (!members.some(member => notices.get(member)?.method === notice.method)) return;
    this.#hasChanged = true;
    this.queue.put(notice);
  }

  #put(change: ListedChange): void {
    this.#host.changed(change);
    this.queue.put(change);
  }
}

/** Queues changes for the consumer, each kind or resource at most once. */
class Queue {
  readonly #everything: readonly ServerChange[];
  readonly #waiting = new Map<string, ServerChange>();
  #error: unknown;
  #hasFailed = false;
  #wake: (() => void) | undefined;

  constructor(everything: readonly ServerChange[]) {
    this.#everything = everything;
  }

  put(change: ServerChange): void {
    const isLong = change.kind === 'resource' && change.uri.length > MAX_URI;
    const isFull = this.#waiting.size >= MAX_WAITING + this.#everything.length;
    // Too much to remember one by one.
    if (isLong || isFull) this.#waiting.clear();
    for (const one of isLong || isFull ? this.#everything : [change]) this.#waiting.set(keyOf(one), one);
    this.#wake?.();
  }

  fail(error: unknown): void {
    this.#error = error;
    this.#hasFailed = true;
    this.#wake?.();
  }

  async *take(signal: AbortSignal): AsyncGenerator<ServerChange, void, undefined> {
    const ignoreSignal = onAbort(signal, () => this.#wake?.());
    try {
      while (!signal.aborted) {
        for (const [key, change] of this.#waiting) {
          this.#waiting.delete(key);
          yield change;
          if (signal.aborted) return;
        }
        if (this.#hasFailed) throw this.#error;
        if (this.#waiting.size > 0 || signal.aborted) continue;
        await new Promise<void>(resolve => {
          this.#wake = resolve;
        });
        this.#wake = undefined;
      }
    } finally {
      ignoreSignal();
    }
  }
}

let lastNotice = 0;

function keyOf(change: ServerChange): string {
  if (change.kind === 'notice') return `notice ${++lastNotice}`;
  return change.kind === 'resource' ? `resource ${change.uri}` : change.kind;
}

function readFilter(filter: ChangeFilter, claims: Claims | undefined): SubscriptionFilter {
  const { tools, prompts, resources, notices = {} } = filter;
  const { list, uris = [] } = readResources(resources);
  const unknown = Object.keys(notices).find(member => !claims?.notices.has(member));
  if (unknown !== undefined)
    throw new UsageError(`no extension of this client has the notice "${unknown}": give it to connect`);
  const read = {
    ...(tools && { toolsListChanged: true }),
    ...(prompts && { promptsListChanged: true }),
    ...(list && { resourcesListChanged: true }),
    ...(uris.length > 0 && { resourceSubscriptions: uris.map(String) }),
    ...(Object.keys(notices).length > 0 && { own: notices }),
  };
  if (!isEmptyFilter(read)) return read;
  throw new UsageError('changes needs something to listen to: `tools`, `prompts`, `resources` or `notices`');
}

function readResources(resources: ChangeFilter['resources']): ResourceFilter {
  if (Array.isArray(resources)) return { uris: resources };
  return isObject(resources) ? resources : { list: resources === true };
}

function writeFilter(filter: SubscriptionFilter): ChangeFilter {
  const { toolsListChanged: tools, promptsListChanged: prompts, own: notices } = filter;
  const { resourcesListChanged: list, resourceSubscriptions: uris } = filter;
  const resources = list && uris ? { list, uris } : (uris ?? list);
  return {
    ...(tools && { tools }),
    ...(prompts && { prompts }),
    ...(resources && { resources }),
    ...(notices && { notices }),
  };
}
