import type { JsonObject } from '../base/json.js';
import type { LogMessage, ServerChange } from '../client/index.js';
import type { Progress } from '../protocol/call.js';
import { RequestTimeout } from '../protocol/failures.js';
import type { InputRequest } from '../protocol/input.js';

/**
 * Logs, progress, changes, questions and notifications that a client received, each kind in order of arrival.
 *
 * @example
 * await client.callTool('greet', { name: 'Ada' });
 * expect(client.heard.logs).toEqual([{ level: 'info', data: 'greeting Ada' }]);
 */
export interface Heard {
  readonly logs: readonly LogMessage[];
  /** The progress of all calls. */
  readonly progress: readonly Progress[];
  /** The changes that `watch` recorded. */
  readonly changes: readonly ServerChange[];
  /** The server's questions: forms, pages, samples and roots. */
  readonly questions: readonly InputRequest[];
  /** All other notifications. */
  readonly notifications: readonly { readonly method: string; readonly params: JsonObject }[];
  /**
   * Waits for messages that may arrive after the result of a call. Rejects with `RequestTimeout` after
   * `timeoutMs`, five seconds by default.
   *
   * @example
   * await client.heard.until(({ changes }) => changes.length > 0);
   */
  until(condition: (heard: Heard) => boolean, options?: { timeoutMs?: number | undefined }): Promise<void>;
}

type Kind = 'logs' | 'progress' | 'changes' | 'questions' | 'notifications';
const KINDS: readonly Kind[] = ['logs', 'progress', 'changes', 'questions', 'notifications'];
const TIMEOUT_MS = 5000;

/** Records what a client receives besides results. */
export class Recorder implements Heard {
  readonly logs: LogMessage[] = [];
  readonly progress: Progress[] = [];
  readonly changes: ServerChange[] = [];
  readonly questions: InputRequest[] = [];
  readonly notifications: { method: string; params: JsonObject }[] = [];
  readonly #waiting = new Set<() => void>();

  note<K extends Kind>(kind: K, item: Heard[K][number]): void {
    (this[kind] as unknown[]).push(item);
    for (const check of this.#waiting) check();
  }

  async until(
    condition: (heard: Heard) => boolean,
    { timeoutMs = TIMEOUT_MS }: { timeoutMs?: number | undefined } = {},
  ): Promise<void> {
    let check = () => {};
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        check = () => {
          try {
            if (condition(this)) resolve();
          } catch (error) {
            reject(error);
          }
        };
        timer = setTimeout(() => reject(this.#late(timeoutMs)), timeoutMs);
        this.#waiting.add(check);
        check();
      });
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(check);
    }
  }

  #late(timeoutMs: number): RequestTimeout {
    const counts = KINDS.map(kind => `${this[kind].length} ${kind}`).join(', ');
    return new RequestTimeout(
      `the condition of the test was not met within ${timeoutMs} ms; received were ${counts}`,
    );
  }
}
