import { onAbort } from '../base/abort.js';
import type { Change, SubscriptionFilter } from '../protocol/changes.js';
import type { Link } from './link.js';
import type { LinkKeeper } from './link-keeper.js';
import { pause } from './pause.js';

/** The kinds of changes to listen to. */
export interface ChangeFilter {
  tools?: boolean | undefined;
  prompts?: boolean | undefined;
  /** `true` for the list of resources, or URIs for the contents of those resources. */
  resources?: boolean | readonly string[] | undefined;
}

export interface ChangeOptions {
  signal?: AbortSignal | undefined;
  /** Called each time the subscription is active: no change is missed for anything read after this. */
  onReady?: (() => void) | undefined;
}

/** A change that a server reported. */
export type ServerChange = Exclude<Change, { kind: 'elicitation' }>;

/** The wait before a broken subscription is opened again. It grows with each failure, up to the maximum. */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 30_000;
/** How many changes are queued for a slow consumer; equal changes count once. */
const MAX_WAITING = 1000;
const MAX_URI = 8192;

/**
 * Yields the changes of a server until the consumer stops. A subscription that breaks is opened again. Changes in
 * between are unknown, so every kind in the filter is then reported as changed.
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
      // A subscription that never worked will not start to work by itself.
      if (!wasReady) throw error;
    }
    failures++;
    await pause(Math.random() * Math.min(FIRST_PAUSE_MS * 2 ** failures, MAX_PAUSE_MS), signal);
  }
}

/** Queues changes for the consumer, each kind or resource at most once. */
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
