import type { Auth } from '../protocol/auth.js';
import type { RemoteService } from '../protocol/call.js';
import { isObject, type JsonObject } from '../protocol/json.js';
import { type Awaitable, andThen, isTrueOfAll } from '../protocol/settle.js';
import { Challenge, formatChallenge } from './challenge.js';
import type { Exchange } from './exchange.js';
import type { Protection } from './protection.js';

/** Says why a caller may not send a body, or make a request without one; undefined if nothing speaks against it. */
export type Admission = (
  exchange: Exchange,
  body: unknown,
  auth: Auth | undefined,
) => Awaitable<Challenge | undefined>;

/**
 * Holds requests against the scopes and rules of what they are about, before anything of them runs. All scopes that
 * are needed are asked for at once.
 */
export function createAdmission(
  service: RemoteService | undefined,
  protection: Protection | undefined,
): Admission {
  const always = protection?.scopes ?? [];

  return (exchange, body, auth) => {
    const requests = service?.isRestricted ? readRequests(body) : [];
    const own = service ? scopesOf(service, requests) : [];
    if (!hasAll(auth, always) || !hasAll(auth, own)) {
      const scopes = [...new Set([...always, ...own])];
      return protection?.demand(exchange, scopes) ?? demand(auth, scopes);
    }
    return service && requests.length > 0 ? checkRules(service, requests, auth) : undefined;
  };
}

function scopesOf(service: RemoteService, requests: readonly Asked[]): readonly string[] {
  const [only] = requests;
  if (only && requests.length === 1) return service.scopesOf(only.method, only.params);
  return requests.flatMap(({ method, params }) => service.scopesOf(method, params));
}

function hasAll(auth: Auth | undefined, scopes: readonly string[]): boolean {
  return scopes.every(scope => auth?.scopes?.includes(scope));
}

interface Asked {
  method: string;
  params: JsonObject;
}

/** The requests in a body, as far as they can be read; whoever reads it properly refuses the rest. */
function readRequests(body: unknown): Asked[] {
  if (Array.isArray(body)) return body.filter(isAsked);
  return isAsked(body) ? [body] : [];
}

function isAsked(message: unknown): message is Asked {
  return isObject(message) && typeof message.method === 'string' && isObject(message.params);
}

function checkRules(
  service: RemoteService,
  requests: readonly Asked[],
  auth: Auth | undefined,
): Awaitable<Challenge | undefined> {
  const permitted = isTrueOfAll(requests, ({ method, params }) => service.permits(method, params, auth));
  return andThen(permitted, isPermitted =>
    isPermitted ? undefined : new Challenge(403, 'this caller may not use what the request is about', {}),
  );
}

/** Where nothing is known of the server that gives out tokens. */
function demand(auth: Auth | undefined, scopes: readonly string[]): Challenge {
  const scope = scopes.join(' ');
  const message = `this request needs the scopes ${scope}`;
  return auth
    ? new Challenge(403, message, {
        'www-authenticate': formatChallenge('Bearer', { error: 'insufficient_scope', scope }),
      })
    : new Challenge(401, message, { 'www-authenticate': formatChallenge('Bearer', { scope }) });
}
