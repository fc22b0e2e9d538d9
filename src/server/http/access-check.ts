import { isObject, type JsonObject } from '../../base/json.js';
import { type Awaitable, andThen, isTrueOfAll } from '../../base/settle.js';
import { type Caller, hasScopes } from '../../protocol/caller.js';
import type { Needs, RemoteService } from '../../protocol/service.js';
import { Challenge, formatChallenge } from './challenge.js';
import type { Exchange } from './exchange.js';
import type { Protection } from './protection.js';

/** Says why a caller may not send a body, or make a request without one; undefined if nothing speaks against it. */
export type AccessCheck = (
  exchange: Exchange,
  body: unknown,
  caller: Caller | undefined,
) => Awaitable<Challenge | undefined>;

/**
 * Holds requests against the scopes and rules of what they are about, before anything of them runs. All scopes that
 * are needed are asked for at once.
 */
export function createAccessCheck(service: RemoteService, protection: Protection | undefined): AccessCheck {
  const always = protection?.scopes ?? [];

  return (exchange, body, caller) => {
    const { scopes, permits } = service.isRestricted ? needsOf(service, body) : NOTHING;
    if (!hasScopes(caller, always) || !hasScopes(caller, scopes)) {
      const all = [...new Set([...always, ...scopes])];
      return protection?.demand(exchange, all) ?? demand(caller, all);
    }
    return permits && andThen(permits(caller), isPermitted => (isPermitted ? undefined : forbidden()));
  };
}

const NOTHING: Needs = { scopes: [] };

/** What the requests in a body need, as far as they can be read; whoever reads it properly refuses the rest. */
function needsOf(service: RemoteService, body: unknown): Needs {
  if (isAsked(body)) return service.needsOf(body.method, body.params);
  if (!Array.isArray(body)) return NOTHING;
  const needs = body.filter(isAsked).map(({ method, params }) => service.needsOf(method, params));
  return {
    scopes: needs.flatMap(({ scopes }) => scopes),
    permits: caller => isTrueOfAll(needs, ({ permits }) => permits?.(caller) ?? true),
  };
}

interface Asked {
  method: string;
  params: JsonObject;
}

function isAsked(message: unknown): message is Asked {
  return isObject(message) && typeof message.method === 'string' && isObject(message.params);
}

function forbidden(): Challenge {
  return new Challenge(403, 'this caller may not use what the request is about', {});
}

/** Where nothing is known of the server that gives out tokens. */
function demand(caller: Caller | undefined, scopes: readonly string[]): Challenge {
  const scope = scopes.join(' ');
  const message = `this request needs the scopes ${scope}`;
  return caller
    ? new Challenge(403, message, {
        'www-authenticate': formatChallenge('Bearer', { error: 'insufficient_scope', scope }),
      })
    : new Challenge(401, message, { 'www-authenticate': formatChallenge('Bearer', { scope }) });
}
