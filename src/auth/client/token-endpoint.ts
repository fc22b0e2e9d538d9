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
} from 'oauth4webapi';
import { ConnectionError } from '../../protocol/failures.js';
import type { ProofKey } from './dpop.js';
import { AuthError } from './errors.js';
import type { GuardedFetch } from './guarded-fetch.js';

/** The authorization server does not give tokens for what it got. */
export class GrantRefused extends AuthError {
  /** As in RFC 6749, such as `invalid_grant`. */
  readonly code: string;

  constructor(code: string, message: string, cause: unknown) {
    super('denied', message, { cause });
    this.code = code;
  }
}

/** Sends a request to the token endpoint, once more if it wants a nonce in the proof. */
export async function requestTokens(
  server: AuthorizationServer,
  client: Client,
  options: {
    fetch: GuardedFetch;
    key?: ProofKey | undefined;
    signal?: AbortSignal | undefined;
    /** What is given is no access token, and so is of no type. */
    givesAssertion?: boolean;
  },
  send: (options: TokenEndpointRequestOptions) => Promise<Response>,
): Promise<TokenEndpointResponse> {
  const { fetch, key, signal, givesAssertion } = options;
  if (server.token_endpoint === undefined)
    throw new AuthError('issuer', `the metadata of ${server.issuer} has no token endpoint`);
  const request: TokenEndpointRequestOptions = {
    ...httpOptions(fetch),
    ...(key && { DPoP: DPoP(client, key.pair) }),
    ...(signal && { signal }),
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
    throw explain(error, server);
  }
}

/** Where requests may go is decided by the guard. */
export function httpOptions(fetch: GuardedFetch) {
  return {
    [customFetch]: (url: string, init: object) => fetch(url, init as RequestInit),
    [allowInsecureRequests]: true,
  };
}

/** Puts what a library threw into the words of this one. */
export function explain(error: unknown, server: AuthorizationServer): unknown {
  if (error instanceof AuthError || error instanceof ConnectionError) return error;
  if (error instanceof ResponseBodyError) {
    const { error: code, error_description: description } = error;
    const details = description ? `: ${description}` : '';
    return new GrantRefused(code, `${server.issuer} refuses to give a token (${code}${details})`, error);
  }
  const message = error instanceof Error ? error.message : String(error);
  return new AuthError('token', `what ${server.issuer} answered cannot be used: ${message}`, {
    cause: error,
  });
}
