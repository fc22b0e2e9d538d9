import type { JsonObject } from '../../base/json.js';
import { type Awaitable, andThen } from '../../base/settle.js';
import type { Result } from '../../protocol/call.js';
import { invalidParams, invalidRequest, resourceNotFound } from '../../protocol/errors.js';
import { isLogLevel, LOG_LEVELS } from '../../protocol/logging.js';
import { readUri } from '../../protocol/resource-uri.js';
import type { LegacySession } from './session.js';

type SessionMethod = (
  session: LegacySession,
  params: JsonObject,
  hasResource: (uri: string) => Awaitable<boolean>,
) => Awaitable<Result>;

/** The methods that change the session and do not use the registry. */
export const SESSION_METHODS: ReadonlyMap<string, SessionMethod> = new Map<string, SessionMethod>([
  ['ping', () => ({})],
  [
    'initialize',
    () => {
      throw invalidRequest('this connection is already initialized; open a new one for another handshake');
    },
  ],
  [
    'logging/setLevel',
    (session: LegacySession, { level }: JsonObject) => {
      if (!isLogLevel(level)) throw invalidParams(`level must be one of ${LOG_LEVELS.join(', ')}`);
      session.logLevel = level;
      return {};
    },
  ],
  [
    'resources/subscribe',
    (session, params, hasResource) => {
      const uri = readUri(params.uri);
      return andThen(hasResource(uri), isThere => {
        if (!isThere) throw resourceNotFound(uri);
        session.subscribe(uri);
        return {};
      });
    },
  ],
  [
    'resources/unsubscribe',
    (session: LegacySession, params: JsonObject) => {
      session.unsubscribe(readUri(params.uri));
      return {};
    },
  ],
]);
