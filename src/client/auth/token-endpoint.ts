import {
  type AuthorizationServer,
  allowInsecureRequests,
  type Client,
  customFetch,
  DPoP,
  isDPoPNonceError,
  processGenericTokenEndpointResponse,
  ResponseBodyError,
  type TokenEndpointRequestOptions,
  type TokenEndpointResponse,
  WWWAuthenticateChallengeError,
} from 'oauth4webapi';
import { isObject } from '../../base/json.js';
import { messageOf } from '../../base/thrown.js';
import { ConnectionError } from '../../protocol/failures.js';
import type { ProofKey } from './dpop.js';
import { AccessError } from './errors.js';
import type { GuardedFetch } from './guarded-fetch.js';

/** With these statuses, servers and proxies ask their clients to come back later. */
const TEMPORARY: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** The token endpoint refused the grant. */
export class GrantRefused extends AccessError {
  /** The error code of RFC 6749, such as `invalid_grant`. */
  readonly code: string;

  constructor(code: string, message: string, cause: unknown) {
    super('denied', message, { cause });
    this.code = code;
  }
}

/** Sends a request to the token endpoint; repeats it once if the server wants a nonce in the proof. */
export async function requestTokens(
  server: AuthorizationServer,
  client: Client,
  options: {
    fetch: GuardedFetch;
    key?: ProofKey | undefined;
    /** The response contains an assertion instead of an access token, so its token type is not checked. */
    givesAssertion?: boolean;
  },
  send: (options: TokenEndpointRequestOptions) => Promise<Response>,
): Promise<TokenEndpointResponse> {
  const { fetch, key, givesAssertion } = options;
  if (server.token_endpoint === undefined)
    throw new AccessError('issuer', `the metadata of ${server.issuer} has no token endpoint`);
  const request: TokenEndpointRequestOptions = {
    ...httpOptions(async (url, init) => {
      const response = await fetch(url, init);
      if (!TEMPORARY.has(response.status)) return response;
      throw new ConnectionError(
        `${server.issuer} cannot give a token now: it answers with status ${response.status}`,
      );
    }),
    ...(key && { DPoP: DPoP(client, key.pair) }),
  };
  const reading = givesAssertion ? { recognizedTokenTypes: { n_a() {} } } : {};
  const attempt = async () =>
    processGenericTokenEndpointResponse(server, client, await send(request), reading);
  try {
    return await attempt().catch(error => {
      if (isDPoPNonceError(error)) return attempt();
      throw error;
    });
  } catch (error) {
    throw await explain(error, server);
  }
}

/** The library need not check URLs: the guarded fetch decides where requests may go. */
export function httpOptions(fetch: GuardedFetch) {
  return {
    [customFetch]: (url: string, init: object) => fetch(url, init as RequestInit),
    [allowInsecureRequests]: true,
  };
}

/** Turns an error of the OAuth library into one of this library. */
async function explain(error: unknown, server: AuthorizationServer): Promise<unknown> {
  if (error instanceof AccessError || error instanceof ConnectionError) return error;
  const refusal = await refusalOf(error);
  if (refusal) {
    const { error: code, error_description: description } = refusal;
    const details = description ? `: ${description}` : '';
    return new GrantRefused(code, `${server.issuer} refuses to give a token (${code}${details})`, error);
  }
  return new AccessError('token', `the response of ${server.issuer} cannot be used: ${messageOf(error)}`, {
    cause: error,
  });
}

/**
 * Why there is no token. For `invalid_client` the library stops at the challenge, before it reads the body.
 * @see https://www.rfc-editor.org/rfc/rfc6749#section-5.2
 */
async function refusalOf(error: unknown): Promise<{ error: string; error_description?: string } | undefined> {
  if (!(error instanceof WWWAuthenticateChallengeError))
    return error instanceof ResponseBodyError ? error : undefined;
  const body: unknown = await error.response.json().catch(() => undefined);
  if (!isObject(body) || typeof body.error !== 'string') return undefined;
  const { error: code, error_description: description } = body;
  return { error: code, ...(typeof description === 'string' && { error_description: description }) };
}
