import type { JsonObject } from '../base/json.js';
import { isAtLeast, LOG_LEVELS, type LogLevel } from './logging.js';

/**
 * Log messages for the client, each with a level, any JSON data, and an optional logger name. Messages below the level
 * that the client asked for are not sent.
 */
export type Logger = {
  readonly [L in LogLevel]: (data: unknown, logger?: string) => void;
};

/** The way to a client for log messages: of a request, or of a session. */
interface LogTarget {
  /** The least severe level that the client wants; undefined if it wants no logs. */
  readonly logLevel: LogLevel | undefined;
  notify(method: string, params: JsonObject): void;
}

export function createLogger(target: LogTarget): Logger {
  const write = (level: LogLevel, data: unknown, logger: string | undefined) => {
    const minimum = target.logLevel;
    if (minimum === undefined || !isAtLeast(level, minimum)) return;
    const about = { level, ...(logger !== undefined && { logger: String(logger) }) };
    try {
      target.notify('notifications/message', { ...about, data: toData(data) });
    } catch (problem) {
      // A log message must not fail the work that it is about.
      const reason = problem instanceof Error ? problem.message : String(problem);
      target.notify('notifications/message', { ...about, data: placeholder(reason) });
    }
  };
  const entries = LOG_LEVELS.map(level => [
    level,
    (data: unknown, logger?: string) => write(level, data, logger),
  ]);
  return Object.fromEntries(entries);
}

/** JSON leaves out `undefined` and functions, but a message needs its data. The source text of a function may be secret. */
function toData(data: unknown): unknown {
  if (data === undefined) return null;
  return typeof data === 'function' || typeof data === 'symbol' ? placeholder(`a ${typeof data}`) : data;
}

function placeholder(reason: string): string {
  return `[not JSON: ${reason}]`;
}
