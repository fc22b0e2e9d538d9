import type { JsonObject } from '../../base/json.js';
import type { Result } from '../../protocol/call.js';
import { invalidParams, invalidRequest } from '../../protocol/errors.js';
import { isLogLevel, LOG_LEVELS } from '../../protocol/logging.js';
import { readUri } from '../../protocol/resource-uri.js';
import type { LegacySession } from './session.js';

/** The methods that change the session and do not use the registry. */
export const SESSION_METHODS: ReadonlyMap<string, (session: LegacySession, params: JsonObject) => Result> =
  new Map([
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
      (session: LegacySession, params: JsonObject) => {
        session.subscribe(readUri(params.uri));
        return {};
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
