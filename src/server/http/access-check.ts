import { isObject, type JsonObject } from '../../base/json.js';
import { type Awaitable, andThen, isTrueOfAll } from '../../base/settle.js';
import { type Caller, hasScopes } from '../../protocol/caller.js';
import type { Needs, RemoteService } from '../../protocol/service.js';
import { Challenge } from './challenge.js';
import type { Exchange } from './exchange.js';
import { formatChallenge } from './format-challenge.js';
import type { Protection } from './protection.js';

/** Returns why a caller may not make a request with this body; undefined if the caller may. */
export type AccessCheck = (
  exchange: Exchange,
  body: unknown,
  caller: Caller | undefined,
) => Awaitable<Challenge | undefined>;

/**
 * Checks requests against the scopes and rules of their targets, before any handler runs. The challenge names all
 * needed scopes at once. `authenticates` means that callers can be known without a protection.
 */
export function createAccessCheck(
  service: RemoteService,
  protection: Protection | undefined,
  authenticates: boolean,
): AccessCheck {
  const always = protection?.scopes ?? [];

  return (exchange, body, caller) => {
    const { scopes, permits } = service.isRestricted ? needsOf(service, body) : NOTHING;
    if (!hasScopes(caller, always) || !hasScopes(caller, scopes)) {
      const all = [...new Set([...always, ...scopes])];
      if (protection) return protection.demand(exchange, all);
      return authenticates ? demand(caller, all) : outOfReach(all);
    }
    return permits && andThen(permits(caller), isPermitted => (isPermitted ? undefined : forbidden()));
  };
}

const NOTHING: Needs = { scopes: [] };

/** The scopes and rules of the requests in a body. Malformed messages are skipped here and refused later. */
function needsOf(service: RemoteService, body: unknown): Needs {
  if (isRequest(body)) return service.needsOf(body.method, body.params);
  if (!Array.isArray(body)) return NOTHING;
  const needs = body.filter(isRequest).map(({ method, params }) => service.needsOf(method, params));
  return {
    scopes: needs.flatMap(({ scopes }) => scopes),
    permits: caller => isTrueOfAll(needs, ({ permits }) => permits?.(caller) ?? true),
  };
}

interface RequestShape {
  method: string;
  params: JsonObject;
}

function isRequest(message: unknown): message is RequestShape {
  return isObject(message) && typeof message.method === 'string' && isObject(message.params);
}

function forbidden(): Challenge {
  return new Challenge(403, 'this caller may not use the target of this request', {});
}

/** Nobody can have scopes at a server that knows no callers, so no sign-in is asked for. */
function outOfReach(scopes: readonly string[]): Challenge {
  const message = `this request needs the scopes ${scopes.join(' ')}, but this server has no auth that grants any`;
  return new Challenge(403, message, {});
}

/** The challenge of a server without `auth`, where the authorization server is not known. */
function demand(caller: Caller | undefined, scopes: readonly string[]): Challenge {
  const scope = scopes.join(' ');
  const message = `this request needs the scopes ${scope}`;
  return caller
    ? new Challenge(403, message, {
        'www-authenticate': formatChallenge('Bearer', { error: 'insufficient_scope', scope }),
      })
    : new Challenge(401, message, { 'www-authenticate': formatChallenge('Bearer', { scope }) });
}
