/**
 * The severities of RFC 5424, least severe first.
 *
 * @example
 * const isSevere = LOG_LEVELS.indexOf(message.level) >= LOG_LEVELS.indexOf('error');
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging#log-levels
 */
export const LOG_LEVELS = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;

/**
 * How severe a log message is.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging
 */
export type LogLevel = (typeof LOG_LEVELS)[number];

export function isLogLevel(value: unknown): value is LogLevel {
  return LOG_LEVELS.includes(value as LogLevel);
}

/** Whether a message of `level` passes a threshold of `minimum`. */
export function isAtLeast(level: LogLevel, minimum: LogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(minimum);
}
