import { onAbort } from '../base/abort.js';
import type { Change, SubscriptionFilter } from '../protocol/changes.js';
import type { Link } from './link.js';
import type { LinkKeeper } from './link-keeper.js';
import { pause } from './pause.js';

/** What to hear of. */
export interface ChangeFilter {
  tools?: boolean | undefined;
  prompts?: boolean | undefined;
  /** The list of resources, or the contents of those with these URIs. */
  resources?: boolean | readonly string[] | undefined;
}

export interface ChangeOptions {
  signal?: AbortSignal | undefined;
  /** Called whenever the server has begun to tell: of what is read from then on, no change is missed. */
  onReady?: (() => void) | undefined;
}

/** A change that a server told of. */
export type ServerChange = Exclude<Change, { kind: 'elicitation' }>;

/** How long to wait before a broken subscription is opened again, at most: longer after each failure. */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;
/** How many changes wait for a consumer that is slow; equal ones count once. */
const MAX_WAITING = 1000;
const MAX_URI = 8192;

/**
 * The changes of a server, for as long as somebody takes them. A subscription that breaks is opened again; what
 * changed meanwhile is not known, so then every kind that is listened to counts as changed.
 */
export async function* listenToChanges(
  connection: Pick<LinkKeeper, 'open' | 'closing'>,
  filter: ChangeFilter,
  { signal, onReady }: ChangeOptions,
): AsyncGenerator<ServerChange, void, undefined> {
  const controller = new AbortController();
  const stop = () => controller.abort();
  const ignoreSignal = signal && onAbort(signal, stop);
  const ignoreClosing = onAbort(connection.closing, stop);
  const queue = new Queue();
  const feeding = feed(() => connection.open(), toFilter(filter), queue, controller.signal, onReady);
  feeding.catch(error => queue.fail(error));
  try {
    yield* queue.take(controller.signal);
  } finally {
    ignoreSignal?.();
    ignoreClosing();
    controller.abort();
    await feeding.catch(() => {});
  }
}

async function feed(
  connect: () => Promise<Link>,
  filter: SubscriptionFilter,
  queue: Queue,
  signal: AbortSignal,
  onReady?: () => void,
): Promise<void> {
  let failures = 0;
  let wasReady = false;
  while (!signal.aborted) {
    try {
      const link = await connect();
      const ready = () => {
        if (wasReady) for (const change of allOf(filter)) queue.put(change);
        wasReady = true;
        failures = 0;
        onReady?.();
      };
      await link.listen(filter, change => queue.put(change), ready, signal);
    } catch (error) {
      if (signal.aborted) return;
      // What never worked will not work by itself.
      if (!wasReady) throw error;
    }
    failures++;
    await pause(Math.random() * Math.min(FIRST_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS), signal);
  }
}

/** Changes on their way to a consumer. */
class Queue {
  readonly #waiting = new Map<string, ServerChange>();
  #error: unknown;
  #hasFailed = false;
  #wake: (() => void) | undefined;

  put(change: Change): void {
    if (change.kind === 'elicitation') return;
    const key = change.kind === 'resource' ? `resource ${change.uri}` : change.kind;
    if (this.#waiting.size < MAX_WAITING && key.length < MAX_URI) this.#waiting.set(key, change);
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

function toFilter({ tools, prompts, resources }: ChangeFilter): SubscriptionFilter {
  return {
    ...(tools && { toolsListChanged: true }),
    ...(prompts && { promptsListChanged: true }),
    ...(resources === true && { resourcesListChanged: true }),
    ...(Array.isArray(resources) && resources.length > 0 && { resourceSubscriptions: [...resources] }),
  };
}

function allOf(filter: SubscriptionFilter): ServerChange[] {
  return [
    ...(filter.toolsListChanged ? [{ kind: 'tools' as const }] : []),
    ...(filter.promptsListChanged ? [{ kind: 'prompts' as const }] : []),
    ...(filter.resourcesListChanged ? [{ kind: 'resources' as const }] : []),
    ...(filter.resourceSubscriptions ?? []).map(uri => ({ kind: 'resource' as const, uri })),
  ];
}
