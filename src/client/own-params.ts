import { UsageError } from '../base/errors.js';
import { copyPlain, isObject, type JsonObject, quoteBriefly } from '../base/json.js';
import { notificationText } from '../jsonrpc/message.js';
import { isLogLevel, LOG_LEVELS } from '../protocol/logging.js';

/**
 * A copy of an author's parameters, as JSON will carry them: headers and the cache must not read them in another way than
 * the server. Changes that the author makes later do not reach it. Throws if the author must not send them.
 */
export async function readOwnParams(method: string, params: JsonObject): Promise<JsonObject> {
  if (HANDSHAKE.has(method)) throw new UsageError(`${method} is sent by connect`);
  const own = copyParams(method, params);
  if (!isObject(own)) throw new UsageError(`the parameters of ${method} must be an object`);
  if (own._meta !== undefined) (await import('./on-demand.js')).checkOwnMeta(own._meta, method);
  return own;
}

function copyParams(method: string, params: JsonObject): unknown {
  try {
    return copyPlain(params);
  } catch (cause) {
    // Says why, if JSON cannot carry them.
    notificationText(method, params);
    throw cause;
  }
}

/** Throws if a text is not a log level. */
export function checkLogLevel(level: unknown): void {
  if (isLogLevel(level)) return;
  throw new UsageError(`${quoteBriefly(level)} is not a log level; use one of ${LOG_LEVELS.join(', ')}`);
}

const HANDSHAKE: ReadonlySet<string> = new Set(['initialize', 'notifications/initialized']);
