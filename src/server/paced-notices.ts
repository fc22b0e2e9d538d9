import { inBackground } from '../base/background.js';
import type { JsonObject } from '../base/json.js';
import { RateLimit } from '../base/rate-limit.js';
import { notificationText } from '../jsonrpc/message.js';
import type { NoticeRates } from '../protocol/service.js';
import { HELD_NOTICE_MS, MAX_LOGS_PER_SECOND, MAX_PROGRESS_PER_SECOND, NOTICE_BURST_MS } from './limits.js';

/**
 * Sends the notifications of one request, or the log messages of a session, no faster than is allowed, nor than the
 * client reads them: progress that waits is replaced by newer progress, and log messages are left out and counted. So
 * the response is never lost behind them.
 */
export class PacedNotices {
  readonly #send: (text: string) => void;
  readonly #isFull: () => boolean;
  readonly #logsPerSecond: number;
  readonly #progressLimit: RateLimit;
  readonly #logLimit: RateLimit;
  #progress: JsonObject | undefined;
  #leftOut = 0;
  /** The level of a message that was left out, which is one that the client wants. */
  #level: unknown;
  /** Set while something waits. */
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(send: (text: string) => void, isFull: () => boolean, rates: NoticeRates) {
    this.#send = send;
    this.#isFull = isFull;
    this.#logsPerSecond = rates.logs ?? MAX_LOGS_PER_SECOND;
    this.#logLimit = limit(this.#logsPerSecond);
    this.#progressLimit = limit(rates.progress ?? MAX_PROGRESS_PER_SECOND);
  }

  notify(method: string, params: JsonObject): void {
    const isProgress = method === 'notifications/progress';
    const isLog = method === 'notifications/message';
    if (isProgress || isLog) {
      if (this.#isFull() || !(isProgress ? this.#progressLimit : this.#logLimit).take())
        return isProgress ? this.#hold(params) : this.#leaveOut(params);
      if (isProgress) this.#progress = undefined;
    }
    // Any other notification belongs to an extension or an author; it, too, gives way to the response.
    if (isProgress || isLog || !this.#isFull()) this.#send(notificationText(method, params));
  }

  /** Sends what waits: when the client has caught up, and before the response. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const progress = this.#progress;
    if (this.#leftOut > 0) {
      const data =
        `${this.#leftOut} log messages were left out, because they came faster than the client reads, or than ` +
        `${this.#logsPerSecond} per second`;
      this.#leftOut = 0;
      this.#send(notificationText('notifications/message', { level: this.#level, logger: 'tenon', data }));
    }
    this.#progress = undefined;
    if (progress) this.#send(notificationText('notifications/progress', progress));
  }

  /** Drops what waits: the client has cancelled the request. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  #hold(progress: JsonObject): void {
    this.#progress = progress;
    this.#flushLater();
  }

  #leaveOut({ level }: JsonObject): void {
    this.#leftOut++;
    this.#level = level;
    this.#flushLater();
  }

  /** The handler may be quiet from now on, and its client must not be left with old progress. */
  #flushLater(): void {
    this.#timer ??= inBackground(
      setTimeout(() => {
        this.#timer = undefined;
        if (this.#isFull()) this.#flushLater();
        else this.flush();
      }, HELD_NOTICE_MS),
    );
  }
}

function limit(perSecond: number): RateLimit {
  return new RateLimit(perSecond, (perSecond * NOTICE_BURST_MS) / 1000);
}
