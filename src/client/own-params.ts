import { UsageError } from '../base/errors.js';
import { isObject, quoteBriefly } from '../base/json.js';
import { isLogLevel, LOG_LEVELS } from '../protocol/logging.js';
import { isMetaKey } from '../protocol/meta.js';

/** Throws if an author must not send a message, or not with these parameters. */
export function checkOwnParams(method: string, params: unknown): void {
  if (HANDSHAKE.has(method)) throw new UsageError(`${method} is sent by connect`);
  if (params === undefined) return;
  if (!isObject(params)) throw new UsageError(`the parameters of ${method} must be an object`);
  if (params._meta !== undefined) checkMeta(params._meta, method);
}

/** Throws if a text is not a log level. */
export function checkLogLevel(level: unknown): void {
  if (isLogLevel(level)) return;
  throw new UsageError(`${quoteBriefly(level)} is not a log level; use one of ${LOG_LEVELS.join(', ')}`);
}

const HANDSHAKE: ReadonlySet<string> = new Set(['initialize', 'notifications/initialized']);

/** @see https://modelcontextprotocol.io/specification/2025-06-18/basic#meta */
function checkMeta(meta: unknown, method: string): void {
  if (!isObject(meta)) throw new UsageError(`_meta of ${method} must be an object`);
  const wrong = Object.keys(meta).find(key => !isMetaKey(key));
  if (wrong !== undefined)
    throw new UsageError(`${quoteBriefly(wrong)} cannot be a key of _meta; write it as com.example/name`);
  const { progressToken: token } = meta;
  if (token !== undefined && typeof token !== 'string' && !Number.isSafeInteger(token))
    throw new UsageError('a progress token must be a string or an integer');
}
