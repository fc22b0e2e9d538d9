import { copyPlain } from '../base/copy-plain.js';
import { UsageError } from '../base/errors.js';
import { isObject, type JsonObject, quoteBriefly } from '../base/json.js';
import { notificationText } from '../jsonrpc/message.js';
import { isLogLevel, LOG_LEVELS } from '../protocol/logging.js';

/**
 * A copy of an author's parameters, as JSON will carry them: headers and the cache must not read them in another way than
 * the server. Changes that the author makes later do not reach it. Throws if the author must not send them.
 */
export async function readOwnParams(
  kind: 'request' | 'notify',
  method: string,
  params: JsonObject,
): Promise<JsonObject> {
  const own = copyParams(method, params);
  if (!isObject(own)) throw new UsageError(`the parameters of ${method} must be an object`);
  if (kind === 'notify' || !PLAIN.test(method))
    (await import('./on-demand.js')).checkOwnMethod(kind, method, own);
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

/** Requests that every author may send. */
const PLAIN = /^(tools|prompts|resources|completion)\/[\w/]+$/;
