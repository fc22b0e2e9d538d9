import type { Auth } from '../protocol/auth.js';
import type { RemoteService } from '../protocol/call.js';
import { isObject, type JsonObject } from '../protocol/json.js';
import type { Awaitable } from '../protocol/settle.js';
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
    if (requests.length === 0 && always.length === 0) return undefined;
    const own = requests.flatMap(({ method, params }) => service?.scopesOf(method, params) ?? []);
    const scopes = [...new Set([...always, ...own])];
    if (!scopes.every(scope => auth?.scopes?.includes(scope))) {
      return protection?.demand(exchange, scopes) ?? demand(auth, scopes);
    }
    return service && requests.length > 0 ? checkRules(service, requests, auth) : undefined;
  };
}

interface Asked {
  method: string;
  params: JsonObject;
}

/** The requests in a body, as far as they can be read; whoever reads it properly refuses the rest. */
function readRequests(body: unknown): Asked[] {
  const messages = Array.isArray(body) ? body : [body];
  return messages.filter(
    (message): message is Asked =>
      isObject(message) && typeof message.method === 'string' && isObject(message.params),
  );
}

async function checkRules(
  service: RemoteService,
  requests: readonly Asked[],
  auth: Auth | undefined,
): Promise<Challenge | undefined> {
  for (const { method, params } of requests) {
    if (!(await service.permits(method, params, auth))) {
      return new Challenge(403, 'this caller may not use what the request is about', {});
    }
  }
  return undefined;
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
