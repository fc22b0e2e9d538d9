import { messageOf } from '../../base/thrown.js';
import type { CallContext } from '../extension.js';
import type { TaskHandle } from '../task-handle.js';
import type { TasksClientOptions } from './options.js';

/** Tells the user of the client what becomes of a task. */
export class ChangeTeller {
  readonly #call: CallContext;
  readonly #handlers: readonly TasksClientOptions['onTask'][];
  /** What was told last. */
  #told = '';

  constructor(call: CallContext, { onTask }: TasksClientOptions) {
    this.#call = call;
    this.#handlers = [call.options.onTask, onTask];
  }

  /** Calls the handlers, each with a copy of its own, if something changed that matters to people or to `resumeTask`. */
  tell(handle: TaskHandle): void {
    const { status, statusMessage, ttlMs, answered } = handle;
    const news = JSON.stringify([status, statusMessage, ttlMs, answered]);
    if (news === this.#told) return;
    this.#told = news;
    const { server, warn } = this.#call;
    for (const handler of this.#handlers) {
      try {
        handler?.(structuredClone(handle), { server });
      } catch (error) {
        warn(`onTask failed: ${messageOf(error)}`);
      }
    }
  }
}
