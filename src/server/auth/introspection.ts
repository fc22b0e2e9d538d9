import { isObject, type JsonObject } from '../../base/json.js';
import { checkOptions, type OptionNames } from '../../base/options.js';
import { checkMs, checkUrl } from './options.js';
import { isAudience } from './resource.js';
import {
  claimText,
  InvalidToken,
  readScopes,
  type VerifiedToken,
  type Verifier,
  VerifierUnavailable,
} from './verifier.js';

/** Options of `introspection`. */
export interface IntrospectionOptions {
  /** The introspection endpoint of the authorization server. */
  endpoint: string;
  /** This server's credentials at the authorization server. */
  clientId: string;
  clientSecret: string;
  /** The expected issuer; a token is refused if the response names another one. */
  issuer?: string | undefined;
  /** The audiences that are accepted, instead of the URL of this server. */
  audiences?: readonly string[] | undefined;
  /** For how many milliseconds a response is kept; a revoked token is accepted that long. 60,000 by default. */
  cacheMs?: number | undefined;
  /** Milliseconds to wait for a response; 5000 by default. */
  timeoutMs?: number | undefined;
}

/** How long an introspection endpoint may take to answer, unless `timeoutMs` of `introspection` is set. */
export const INTROSPECTION_TIMEOUT_MS = 5000;

const INTROSPECTION_OPTIONS: OptionNames<IntrospectionOptions> = {
  endpoint: 1,
  clientId: 1,
  clientSecret: 1,
  issuer: 1,
  audiences: 'a list',
  cacheMs: 1,
  timeoutMs: 1,
};

/**
 * Verifies access tokens by asking the authorization server, for opaque tokens or tokens that can be revoked.
 *
 * @example
 * verify: introspection({ endpoint: 'https://login.example.com/introspect', clientId, clientSecret })
 *
 * @see https://www.rfc-editor.org/rfc/rfc7662
 */
export function introspection(options: IntrospectionOptions): Verifier {
  checkOptions(options, INTROSPECTION_OPTIONS, 'introspection');
  const { endpoint, issuer, audiences, cacheMs = 60_000 } = options;
  checkUrl(endpoint, 'the introspection endpoint');
  checkMs(cacheMs, 'cacheMs');
  return {
    cacheMs,
    async verify(token, resource) {
      const answer = await ask(options, token);
      if (answer.active !== true) throw new InvalidToken('the token is not active');
      const now = Date.now() / 1000;
      if (typeof answer.exp === 'number' && answer.exp <= now)
        throw new InvalidToken('the token has expired');
      if (typeof answer.nbf === 'number' && answer.nbf > now)
        throw new InvalidToken('the token is not valid yet');
      if (issuer !== undefined && answer.iss !== undefined && answer.iss !== issuer) {
        throw new InvalidToken('the token is from another issuer');
      }
      if (!isAudience(answer.aud, audiences ?? [resource]))
        throw new InvalidToken('the token is for another audience');
      return toVerified(answer, issuer ?? endpoint);
    },
  };
}

async function ask(options: IntrospectionOptions, token: string): Promise<JsonObject> {
  const { endpoint, clientId, clientSecret, timeoutMs = INTROSPECTION_TIMEOUT_MS } = options;
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      accept: 'application/json',
      authorization: `Basic ${btoa(`${formEncode(clientId)}:${formEncode(clientSecret)}`)}`,
    },
    body: new URLSearchParams({ token, token_type_hint: 'access_token' }),
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  }).catch(cause => {
    throw new VerifierUnavailable(`${endpoint} cannot be reached`, { cause });
  });
  if (response.status !== 200) {
    throw new VerifierUnavailable(
      `${endpoint} answered ${response.status}; are clientId and clientSecret right?`,
    );
  }
  const answer: unknown = await response.json().catch(cause => {
    throw new VerifierUnavailable(`${endpoint} answered with something else than JSON`, { cause });
  });
  if (!isObject(answer))
    throw new VerifierUnavailable(`${endpoint} answered with something else than an object`);
  return answer;
}

function formEncode(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1);
}

function toVerified(answer: JsonObject, issuer: string): VerifiedToken {
  const subject = claimText(answer.sub);
  const clientId = claimText(answer.client_id);
  return {
    issuer: claimText(answer.iss) ?? issuer,
    ...(subject !== undefined && { subject }),
    ...(clientId !== undefined && { clientId }),
    scopes: readScopes(answer.scope),
    ...(typeof answer.exp === 'number' && { expiresAt: answer.exp * 1000 }),
    claims: answer,
  };
}
