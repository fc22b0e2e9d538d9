import { UsageError } from '../../base/errors.js';
import { isObject, type JsonObject } from '../../base/json.js';
import { checkOptions, type OptionNames } from '../../base/options.js';
import type { Awaitable } from '../../base/settle.js';
import { type Caller, hasExpired } from '../../protocol/caller.js';
import type { Challenge } from '../http/challenge.js';
import type { ProtectedRequest, Protection } from '../http/protection.js';
import { createChallenges } from './challenges.js';
import {
  type Credentials,
  checkToken,
  parseAuthorization,
  readAuthorization,
  readProof,
  type Scheme,
} from './credentials.js';
import { createProofCheck, type DpopOptions } from './dpop.js';
import { describeResource, METADATA_PATH, metadataUrl } from './metadata.js';
import { checkMs } from './options.js';
import { createResource } from './resource.js';
import { expandScopes } from './scopes.js';
import { type Verified, VerifiedTokens } from './verified-tokens.js';
import { InvalidToken, type VerifiedToken, type Verifier } from './verifier.js';

export interface ProtectOptions {
  /** The issuers of the authorization servers that clients can get tokens from. */
  authorizationServers: readonly string[];
  /**
   * The URL at which clients reach this server, such as `https://mcp.example.com/mcp`. Tokens must have been issued
   * for it. It may be left out only for a server that is reached over loopback, at `/mcp`.
   */
  resource?: string | undefined;
  /** The scopes that every request needs. Tools, resources and prompts may need more: see their `scopes`. */
  scopes?: readonly string[] | undefined;
  /** Which scopes a scope includes: `{ 'files:write': ['files:read'] }`. */
  includes?: Readonly<Record<string, readonly string[]>> | undefined;
  /**
   * How tokens are verified: `jwt({ … })`, `introspection({ … })`, or a function. The function returns undefined or
   * throws `InvalidToken` for a token that is not valid, or not for this server.
   */
  verify: Verifier | VerifyFunction;
  /** Also accepts tokens that are bound to a key of the client (DPoP), and checks the client's proofs. */
  dpop?: DpopOptions | undefined;
  /** More metadata of the resource, such as `resource_name` and `resource_documentation`. */
  metadata?: JsonObject | undefined;
  /** For how many milliseconds results of `verify` are kept; the verifier's `cacheMs` if not set, 0 for functions. */
  cacheMs?: number | undefined;
}

const PROTECT_OPTIONS: OptionNames<ProtectOptions> = {
  authorizationServers: 1,
  resource: 1,
  scopes: 1,
  includes: 1,
  verify: 1,
  dpop: 1,
  metadata: 1,
  cacheMs: 1,
};

/** Verifies a token for a resource. */
export type VerifyFunction = (token: string, resource: string) => Awaitable<VerifiedToken | undefined>;

/**
 * Protects a server as an OAuth resource server: requests need a bearer token that was issued for this server, and
 * clients are told where to get one.
 *
 * @example
 * await listen(server, {
 *   auth: protect({
 *     resource: 'https://mcp.example.com/mcp',
 *     authorizationServers: ['https://login.example.com'],
 *     verify: jwt({ issuer: 'https://login.example.com' }),
 *   }),
 * });
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization
 */
export function protect(options: ProtectOptions): Protection {
  checkOptions(options, PROTECT_OPTIONS, 'protect');
  const { authorizationServers, scopes = [], includes = {} } = options;
  checkServers(authorizationServers);
  if (scopes.includes('offline_access')) {
    throw new UsageError(
      'offline_access is between clients and the authorization server; leave it out of scopes',
    );
  }
  const resourceOf = createResource(options.resource);
  const schemes = schemesOf(options.dpop);
  const checkProof = options.dpop && createProofCheck(options.dpop);
  const challenges = createChallenges({
    scopes,
    schemes,
    metadataOf: request => metadataUrl(resourceOf(request)),
  });
  const verifier = toVerifier(options.verify);
  const { cacheMs = verifier.cacheMs } = options;
  checkMs(cacheMs, 'cacheMs');
  const tokens = new VerifiedTokens();

  async function verify(credentials: Credentials, resource: string): Promise<Verified> {
    checkToken(credentials);
    const { token } = credentials;
    const { issuer, ...verified } = await verifier.verify(token, resource);
    const principal = verified.principal ?? principalOf(issuer, verified);
    const auth = { ...verified, principal, scopes: expandScopes(verified.scopes ?? [], includes) };
    return { credentials, auth };
  }

  /** A token that is bound to a key is not accepted without the proof of that key. */
  function checkBinding(
    request: ProtectedRequest,
    resource: string,
    { credentials: { scheme, token }, auth }: Verified,
  ): Awaitable<Caller> {
    const cnf = auth.claims?.cnf;
    if (scheme === 'Bearer' || !checkProof) {
      if (cnf === undefined) return auth;
      throw new InvalidToken('the token is bound to a key, so it cannot be used as a bearer token');
    }
    const thumbprint = isObject(cnf) ? cnf.jkt : undefined;
    if (typeof thumbprint !== 'string') throw new InvalidToken('the token is not bound to a key');
    const { method, path } = request;
    const url = new URL(resource).origin + path;
    return checkProof({ proof: readProof(request), token, thumbprint, method, url }).then(() => auth);
  }

  /** Verifies a header that is not in the cache. */
  async function inspect(
    request: ProtectedRequest,
    resource: string,
    header: string,
  ): Promise<Caller | Challenge> {
    const credentials = parseAuthorization(header, schemes);
    if (!credentials) return challenges.invite(request);
    const learned = tokens.learn(header, resource, cacheMs, () => verify(credentials, resource));
    return checkBinding(request, resource, await learned);
  }

  return {
    scopes,
    takes: path => path === METADATA_PATH || path.startsWith(`${METADATA_PATH}/`),

    describe(request) {
      const resource = resourceOf(request);
      const { pathname } = new URL(metadataUrl(resource));
      if (request.path !== METADATA_PATH && request.path !== pathname) return undefined;
      const { dpop, metadata: more } = options;
      return JSON.stringify(describeResource(resource, { authorizationServers, scopes, dpop, more }));
    },

    authenticate(request) {
      const resource = resourceOf(request);
      try {
        const header = readAuthorization(request);
        if (header === undefined) return challenges.invite(request);
        const known = tokens.recall(header, resource);
        const outcome = known ? checkBinding(request, resource, known) : inspect(request, resource, header);
        if (!(outcome instanceof Promise)) return outcome;
        return outcome.catch(thrown => challenges.ofThrown(request, thrown));
      } catch (thrown) {
        return challenges.ofThrown(request, thrown);
      }
    },

    demand: challenges.demand,
  };
}

function schemesOf(dpop: DpopOptions | undefined): readonly Scheme[] {
  if (!dpop) return ['Bearer'];
  return dpop.required ? ['DPoP'] : ['Bearer', 'DPoP'];
}

function checkServers(authorizationServers: readonly string[]): void {
  if (authorizationServers.length === 0)
    throw new UsageError('authorizationServers must name at least one issuer');
  for (const issuer of authorizationServers) {
    if (!URL.canParse(issuer) || !/^https?:\/\//i.test(issuer)) {
      throw new UsageError(`"${issuer}" is not the URL of an authorization server`);
    }
  }
}

function toVerifier(verify: Verifier | VerifyFunction): Verifier {
  if (typeof verify !== 'function') return verify;
  return {
    cacheMs: 0,
    async verify(token, resource) {
      const verified = await verify(token, resource);
      if (!verified) throw new InvalidToken('the token is not accepted');
      checkInstant(verified.expiresAt);
      if (hasExpired(verified)) throw new InvalidToken('the token has expired');
      return verified;
    },
  };
}

/** Between these are seconds of the years 1973 to 5138, or milliseconds of the year 1973 and before. */
const [SECONDS_FROM, SECONDS_TO] = [1e8, 1e11];

/** Tokens give their expiry in seconds, so a function may pass on seconds by mistake. */
function checkInstant(expiresAt: number | undefined): void {
  if (expiresAt === undefined || !(expiresAt >= SECONDS_FROM && expiresAt < SECONDS_TO)) return;
  throw new UsageError(
    `verify returned the expiresAt ${expiresAt}, which looks like seconds; it must be milliseconds since 1970: multiply it by 1000`,
  );
}

/** Identifies one user of one client of one issuer. */
function principalOf(issuer: string | undefined, { subject, clientId }: VerifiedToken): string {
  if (subject === undefined && clientId === undefined) {
    throw new InvalidToken('the token names neither a subject nor a client');
  }
  return JSON.stringify([issuer ?? null, subject ?? null, clientId ?? null]);
}
