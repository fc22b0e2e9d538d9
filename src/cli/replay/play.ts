import { type Client, InvalidAnswer, McpError, NotSupported, RequestTimeout } from 'tenon/client';
import { mayAttachMetaKey } from 'tenon/protocol';
import { type Members, members, type Script, type ScriptOutcome, type ScriptStep } from './script.js';

/** Requests of the connection itself: the client of the replay sends its own. */
const OF_CONNECTION = new Set(['initialize', 'server/discover', 'ping', 'subscriptions/listen']);
const OWN_NOTIFICATIONS = new Set(['notifications/initialized', 'notifications/progress']);

/** Called with the outcome of a request, as soon as it is known. */
export type OnOutcome = (step: ScriptStep, now: ScriptOutcome) => void;

/** Whether a recorded request is played again. */
export function isPlayed({ method }: ScriptStep): boolean {
  return !OF_CONNECTION.has(method);
}

/**
 * Plays a script. Every message is sent as soon as the responses have come that came before it in the recording, so that
 * requests overlap as they did. Requests that had no response in the recording are abandoned at the end.
 */
export async function play(
  client: Client,
  script: Script,
  signal: AbortSignal,
  onOutcome: OnOutcome,
): Promise<void> {
  const run = new Run(client, signal, onOutcome);
  try {
    for (const action of script.actions) {
      await run.until(action.line);
      if (action.kind === 'cancel') run.cancel(action.step);
      else if (action.kind === 'request') run.begin(action);
      else if (!OWN_NOTIFICATIONS.has(action.method))
        await client.notify(action.method, action.params as object as never);
    }
    await run.until(Number.POSITIVE_INFINITY);
  } finally {
    run.abandon();
  }
}

class Run {
  readonly #client: Client;
  readonly #signal: AbortSignal;
  readonly #onOutcome: OnOutcome;
  readonly #running = new Map<ScriptStep, { done: Promise<void>; controller: AbortController }>();
  /** The cursors of this run, by those of the recording. */
  readonly #cursors = new Map<unknown, unknown>();

  constructor(client: Client, signal: AbortSignal, onOutcome: OnOutcome) {
    this.#client = client;
    this.#signal = signal;
    this.#onOutcome = onOutcome;
  }

  /** Waits for the requests whose response stands before a line. */
  async until(line: number): Promise<void> {
    for (const [step, { done }] of this.#running) {
      if (step.answeredAt === undefined || step.answeredAt > line) continue;
      await done;
      this.#running.delete(step);
    }
  }

  begin(step: ScriptStep): void {
    if (!isPlayed(step)) return;
    const controller = new AbortController();
    const done = this.#send(step, AbortSignal.any([this.#signal, controller.signal]));
    // A failure counts where it is waited for.
    done.catch(() => {});
    this.#running.set(step, { done, controller });
  }

  cancel(step: ScriptStep): void {
    this.#running.get(step)?.controller.abort();
    this.#running.delete(step);
  }

  abandon(): void {
    for (const { controller } of this.#running.values()) controller.abort();
  }

  async #send(step: ScriptStep, signal: AbortSignal): Promise<void> {
    const { _meta, ...params } = step.params;
    const meta = members(_meta);
    const now = await settle(
      this.#client.request(step.method, this.#withCursor(params), {
        signal,
        meta: Object.fromEntries(Object.entries(meta).filter(([key]) => mayAttachMetaKey(key))) as never,
        ...(meta.progressToken !== undefined && { onProgress: () => {} }),
      }),
    );
    if ('result' in now && step.outcome && 'result' in step.outcome) {
      this.#cursors.set(members(step.outcome.result).nextCursor, members(now.result).nextCursor);
    }
    if (step.outcome) this.#onOutcome(step, now);
  }

  #withCursor(params: Members): Members {
    const { cursor } = params;
    return cursor !== undefined && this.#cursors.has(cursor)
      ? { ...params, cursor: this.#cursors.get(cursor) }
      : params;
  }
}

/** Failures that are an answer of the server, or the lack of one, are outcomes; others end the replay. */
async function settle(response: Promise<unknown>): Promise<ScriptOutcome> {
  try {
    return { result: await response };
  } catch (error) {
    if (error instanceof McpError) {
      const { code, message, data } = error;
      return { error: { code, message, ...(data !== undefined && { data }) } };
    }
    const isOutcome =
      error instanceof RequestTimeout || error instanceof NotSupported || error instanceof InvalidAnswer;
    if (isOutcome) return { error: { message: error.message } };
    throw error;
  }
}
