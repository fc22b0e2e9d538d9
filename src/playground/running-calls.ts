import { AsyncLocalStorage } from 'node:async_hooks';
import { Cancelled, type Traffic } from 'tenon/client';

interface RunningCall {
  readonly controller: AbortController;
  /** Whether the server may ask, log and report while it runs. */
  readonly isWork: boolean;
}

/** Requests during which a server may ask, log and report. */
const WORK = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** The calls of the page that run on a connection. It knows which of them a message belongs to. */
export class RunningCalls {
  readonly #running = new Map<string, RunningCall>();
  /** The call on whose behalf the current code runs. */
  readonly #current = new AsyncLocalStorage<string>();
  /** The calls by the ids of their requests, so that answers find them. */
  readonly #byRequest = new Map<unknown, string>();

  async run<T>(call: string, method: string, send: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    this.#running.set(call, { controller, isWork: WORK.has(method) });
    try {
      return await this.#current.run(call, () => send(controller.signal));
    } finally {
      this.#running.delete(call);
    }
  }

  /** Cancels a call, if it runs here. */
  cancel(call: string): void {
    this.#running.get(call)?.controller.abort(new Cancelled('you cancelled the call'));
  }

  cancelAll(reason: string): void {
    for (const { controller } of this.#running.values()) controller.abort(new Cancelled(reason));
  }

  /** The call on whose behalf the current code runs, or else the only one that runs. */
  get current(): string | undefined {
    return this.#current.getStore() ?? this.#only();
  }

  /** The call that a message belongs to. What a server sends by itself belongs to the only call that runs. */
  callOf(traffic: Traffic): string | undefined {
    const id = traffic.direction === 'failed' ? traffic.id : traffic.message.id;
    if (traffic.direction === 'sent') {
      const call = this.current;
      if (call !== undefined && 'method' in traffic.message && id !== undefined)
        this.#byRequest.set(id, call);
      return call;
    }
    const isAnswer = traffic.direction === 'failed' || !('method' in traffic.message);
    const call = isAnswer ? this.#byRequest.get(id) : this.#only();
    if (isAnswer) this.#byRequest.delete(id);
    return call;
  }

  #only(): string | undefined {
    const working = [...this.#running].filter(([, { isWork }]) => isWork);
    return working.length === 1 ? working[0]?.[0] : undefined;
  }
}
