import type { Call } from '../../protocol/call.js';
import { isAtLeast, LOG_LEVELS, type LogLevel } from '../../protocol/logging.js';

/**
 * Log messages for the client, each with a level, any JSON data, and an optional logger name. Messages below the level
 * that the client asked for are not sent.
 */
export type Logger = {
  readonly [L in LogLevel]: (data: unknown, logger?: string) => void;
};

export function createLogger(call: Call): Logger {
  const write = (level: LogLevel, data: unknown, logger?: string) => {
    const minimum = call.logLevel;
    if (minimum === undefined || !isAtLeast(level, minimum)) return;
    call.notify('notifications/message', { level, ...(logger !== undefined && { logger }), data });
  };
  const entries = LOG_LEVELS.map(level => [
    level,
    (data: unknown, logger?: string) => write(level, data, logger),
  ]);
  return Object.fromEntries(entries);
}
