import { type JsonObject, quoteBriefly } from '../base/json.js';
import { messageOf } from '../base/thrown.js';
import { isLogLevel } from '../protocol/logging.js';
import type { HandlerContext } from './answer-options.js';
import type { ClientOptions, LogMessage } from './options.js';

/** Calls the functions among the options that are told of something. An error in one must not break the connection. */
export class Callbacks {
  readonly #options: ClientOptions;
  readonly #context: HandlerContext;
  #hasWarnedOfLogs = false;

  constructor(options: ClientOptions, context: HandlerContext) {
    this.#options = options;
    this.#context = context;
  }

  call(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.warn(`a callback failed: ${messageOf(error)}`);
    }
  }

  notified(method: string, params: JsonObject): void {
    this.call(() => {
      if (method === 'notifications/message') this.#logged(params);
      else this.#options.onNotification?.(method, params, this.#context);
    });
  }

  warn(message: string): void {
    const { onWarning, serverName } = this.#options;
    if (onWarning) onWarning(message, this.#context);
    else console.warn(`[tenon] ${serverName === undefined ? '' : `${serverName}: `}${message}`);
  }

  /** Passes on a log message, if it is one. The warning is not repeated, as there may be any number of them. */
  #logged(params: JsonObject): void {
    const { onLog } = this.#options;
    if (!onLog) return;
    if (isLogLevel(params.level) && params.data !== undefined)
      return onLog(params as unknown as LogMessage, this.#context);
    if (!this.#hasWarnedOfLogs)
      this.warn(
        `log messages of the server are left out: one has the level ${quoteBriefly(params.level)}, or no data`,
      );
    this.#hasWarnedOfLogs = true;
  }
}
