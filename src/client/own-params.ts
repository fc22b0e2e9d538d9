import { UsageError } from '../base/errors.js';
import { isObject, quoteBriefly } from '../base/json.js';
import { isLogLevel, LOG_LEVELS } from '../protocol/logging.js';

/** Throws if an author must not send a message, or not with these parameters. */
export async function checkOwnParams(method: string, params: unknown): Promise<void> {
  if (HANDSHAKE.has(method)) throw new UsageError(`${method} is sent by connect`);
  if (params === undefined) return;
  if (!isObject(params)) throw new UsageError(`the parameters of ${method} must be an object`);
  if (params._meta !== undefined) (await import('./on-demand.js')).checkOwnMeta(params._meta, method);
}

/** Throws if a text is not a log level. */
export function checkLogLevel(level: unknown): void {
  if (isLogLevel(level)) return;
  throw new UsageError(`${quoteBriefly(level)} is not a log level; use one of ${LOG_LEVELS.join(', ')}`);
}

const HANDSHAKE: ReadonlySet<string> = new Set(['initialize', 'notifications/initialized']);
