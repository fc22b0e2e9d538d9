import { UsageError } from '../../base/errors.js';
import { isObject, type JsonObject } from '../../base/json.js';
import { checkOptions, type OptionNames } from '../../base/options.js';
import type { Awaitable } from '../../base/settle.js';
import { type Caller, hasExpired } from '../../protocol/caller.js';
import type { Challenge } from '../http/challenge.js';
import type { ProtectedRequest, Protection } from '../http/protection.js';
import {
  type Credentials,
  checkToken,
  parseAuthorization,
  readAuthorization,
  readProof,
  type Scheme,
} from './credentials.js';
import { createProofCheck, type DpopOptions } from './dpop.js';
import { describeProtectedResource, METADATA_PATH, metadataUrl } from './metadata.js';
import { checkMs, checkUrl } from './options.js';
import { createResource } from './resource.js';
import { expandScopes } from './scopes.js';
import { type Verified, VerifiedTokens } from './verified-tokens.js';
import { InvalidToken, type VerifiedToken, type Verifier } from './verifier.js';
import { createChallenges } from './www-authenticate.js';

/** Options of `protect`. */
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
  authorizationServers: 'a list',
  resource: 'a text',
  scopes: 'a list',
  includes: 'an object',
  verify: 1,
  dpop: 1,
  metadata: 'an object',
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
  checkServers(options.authorizationServers);
  const supported = options.metadata?.scopes_supported;
  if (
    [...(options.scopes ?? []), ...(Array.isArray(supported) ? supported : [])].includes('offline_access')
  ) {
    throw new UsageError(
      'offline_access is between clients and the authorization server; leave it out of scopes and scopes_supported',
    );
  }
  const resource = new ProtectedResource(options);
  // Members of its own, so that an author can spread it and replace one.
  return {
    scopes: resource.scopes,
    demand: resource.demand,
    takes: path => resource.takes(path),
    describe: request => resource.describe(request),
    authenticate: request => resource.authenticate(request),
  };
}

class ProtectedResource implements Protection {
  readonly scopes: readonly string[];
  readonly demand: Protection['demand'];
  readonly #options: ProtectOptions;
  readonly #resourceOf: (request: ProtectedRequest) => string;
  readonly #schemes: readonly Scheme[];
  readonly #checkProof: ReturnType<typeof createProofCheck> | undefined;
  readonly #challenges: ReturnType<typeof createChallenges>;
  readonly #verifier: Verifier;
  readonly #cacheMs: number;
  readonly #tokens = new VerifiedTokens();

  constructor(options: ProtectOptions) {
    this.scopes = options.scopes ?? [];
    this.#options = options;
    this.#resourceOf = createResource(options.resource);
    this.#schemes = schemesOf(options.dpop);
    this.#checkProof = options.dpop && createProofCheck(options.dpop);
    this.#challenges = createChallenges({
      scopes: this.scopes,
      schemes: this.#schemes,
      metadataOf: request => metadataUrl(this.#resourceOf(request)),
    });
    this.demand = this.#challenges.demand;
    this.#verifier = toVerifier(options.verify);
    this.#cacheMs = options.cacheMs ?? this.#verifier.cacheMs;
    checkMs(this.#cacheMs, 'cacheMs');
  }

  takes(path: string): boolean {
    return path === METADATA_PATH || path.startsWith(`${METADATA_PATH}/`);
  }

  describe(request: ProtectedRequest): string | undefined {
    const resource = this.#resourceOf(request);
    const { pathname } = new URL(metadataUrl(resource));
    if (request.path !== METADATA_PATH && request.path !== pathname) return undefined;
    const { authorizationServers, dpop, metadata: more } = this.#options;
    const { scopes } = this;
    return JSON.stringify(describeProtectedResource(resource, { authorizationServers, scopes, dpop, more }));
  }

  authenticate(request: ProtectedRequest): Awaitable<Caller | Challenge> {
    const resource = this.#resourceOf(request);
    try {
      const header = readAuthorization(request);
      if (header === undefined) return this.#challenges.invite(request);
      const known = this.#tokens.recall(header, resource);
      const outcome = known
        ? this.#checkBinding(request, resource, known)
        : this.#inspect(request, resource, header);
      if (!(outcome instanceof Promise)) return outcome;
      return outcome.catch(thrown => this.#challenges.ofThrown(request, thrown));
    } catch (thrown) {
      return this.#challenges.ofThrown(request, thrown);
    }
  }

  /** Verifies the token in a header that is not in the cache. */
  async #inspect(request: ProtectedRequest, resource: string, header: string): Promise<Caller | Challenge> {
    const credentials = parseAuthorization(header, this.#schemes);
    if (!credentials) return this.#challenges.invite(request);
    const learned = this.#tokens.learn(header, resource, this.#cacheMs, () =>
      this.#verify(credentials, resource),
    );
    return this.#checkBinding(request, resource, await learned);
  }

  async #verify(credentials: Credentials, resource: string): Promise<Verified> {
    checkToken(credentials);
    const { issuer, ...verified } = await this.#verifier.verify(credentials.token, resource);
    const principal = verified.principal ?? principalOf(issuer, verified);
    const scopes = expandScopes(verified.scopes ?? [], this.#options.includes ?? {});
    return { credentials, auth: { ...verified, principal, scopes } };
  }

  /** A token that is bound to a key is not accepted without the proof of that key. */
  #checkBinding(
    request: ProtectedRequest,
    resource: string,
    { credentials: { scheme, token }, auth }: Verified,
  ): Awaitable<Caller> {
    const cnf = auth.claims?.cnf;
    if (scheme === 'Bearer' || !this.#checkProof) {
      if (cnf === undefined) return auth;
      throw new InvalidToken('the token is bound to a key, so it cannot be used as a bearer token');
    }
    const thumbprint = isObject(cnf) ? cnf.jkt : undefined;
    if (typeof thumbprint !== 'string') throw new InvalidToken('the token is not bound to a key');
    const { method, path } = request;
    const url = new URL(resource).origin + path;
    return this.#checkProof({ proof: readProof(request), token, thumbprint, method, url }).then(() => auth);
  }
}

function schemesOf(dpop: DpopOptions | undefined): readonly Scheme[] {
  if (!dpop) return ['Bearer'];
  return dpop.required ? ['DPoP'] : ['Bearer', 'DPoP'];
}

function checkServers(authorizationServers: readonly string[]): void {
  if (!authorizationServers?.length)
    throw new UsageError('authorizationServers must name at least one issuer');
  for (const issuer of authorizationServers) checkUrl(issuer, 'an authorization server');
}

function toVerifier(verify: Verifier | VerifyFunction): Verifier {
  if (typeof verify !== 'function') {
    if (typeof verify?.verify === 'function') return verify;
    throw new UsageError('protect needs verify: jwt({ … }), introspection({ … }), or a function');
  }
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
