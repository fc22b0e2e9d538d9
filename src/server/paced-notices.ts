import type { JsonObject } from '../base/json.js';
import { notificationText } from '../jsonrpc/message.js';

/**
 * Sends the notifications of one request no faster than its client reads them: progress that waits is replaced by newer
 * progress, and log messages are left out and counted, so that the response is never lost behind them.
 */
export class PacedNotices {
  readonly #send: (text: string) => void;
  readonly #isFull: () => boolean;
  #progress: JsonObject | undefined;
  #leftOut = 0;
  /** The level of a message that was left out, which is one that the client wants. */
  #level: unknown;

  constructor(send: (text: string) => void, isFull: () => boolean) {
    this.#send = send;
    this.#isFull = isFull;
  }

  notify(method: string, params: JsonObject): void {
    if (!this.#isFull()) {
      this.flush();
      this.#send(notificationText(method, params));
    } else if (method === 'notifications/progress') this.#progress = params;
    else if (method === 'notifications/message') {
      this.#leftOut++;
      this.#level = params.level;
    } else this.#send(notificationText(method, params));
  }

  /** Sends what waits: when the client has caught up, and before the response. */
  flush(): void {
    const progress = this.#progress;
    if (this.#leftOut > 0) {
      const data = `${this.#leftOut} log messages were left out, because the client reads too slowly`;
      this.#leftOut = 0;
      this.#send(notificationText('notifications/message', { level: this.#level, logger: 'tenon', data }));
    }
    this.#progress = undefined;
    if (progress) this.#send(notificationText('notifications/progress', progress));
  }
}
