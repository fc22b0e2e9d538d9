import { UsageError } from '../base/errors.js';
import { type JsonObject, quoteBriefly } from '../base/json.js';
import { methodNameProblem } from '../protocol/method-name.js';
import { REVISIONS } from '../revisions/index.js';
import { checkLogLevel } from './own-params.js';

/** Throws if an author must not send this method as a request, or as a notification. */
export function checkOwnMethod(kind: 'request' | 'notify', method: unknown, params: JsonObject): void {
  if (typeof method !== 'string')
    throw new UsageError(`a method must be a string, not ${quoteBriefly(method)}`);
  const problem = methodNameProblem(method);
  if (problem) throw new UsageError(problem);
  if (HANDSHAKE.has(method)) throw new UsageError(`${method} is sent by connect`);
  if (method === 'notifications/cancelled')
    throw new UsageError(`${method} is sent by the client; to cancel a request, abort its \`signal\``);
  const isRequest = REVISIONS.some(({ requests }) => requests.has(method));
  if (kind === 'notify' && isRequest)
    throw new UsageError(`${method} is a request; send it with \`client.request\``);
  if (kind === 'request' && method.startsWith('notifications/'))
    throw new UsageError(`${method} is a notification; send it with \`client.notify\``);
  if (method === 'logging/setLevel') checkLogLevel(params.level);
}

const HANDSHAKE: ReadonlySet<string> = new Set(['initialize', 'notifications/initialized']);
