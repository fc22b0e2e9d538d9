import { type AuthorizationServer, refreshTokenGrantRequest } from 'oauth4webapi';
import { digest } from '../../base/digest.js';
import type { Awaitable } from '../../base/settle.js';
import { ConnectionError } from '../../protocol/failures.js';
import type { Authorizer, RequestAccess } from '../http/access.js';
import type { HttpRequest } from '../http/send.js';
import { isLoopback } from './addresses.js';
import { authenticate } from './client-identity.js';
import { assumeServer, discoverResource, discoverServer, type ProtectedResource } from './discovery.js';
import { ProofKey, supportsProofs } from './dpop.js';
import { AccessError } from './errors.js';
import type { Grant, Wanted } from './grant.js';
import type { FetchRules, GuardedFetch } from './guarded-fetch.js';
import { TokenRequestAccess } from './request-access.js';
import { parseScopes, uniteScopes } from './scopes.js';
import { SharedTokens } from './shared-tokens.js';
import type { CredentialStore } from './store.js';
import { GrantRefused, requestTokens } from './token-endpoint.js';
import { isExpired, type TokenSet, toTokenSet } from './tokens.js';
import type { Demand } from './www-authenticate.js';

/** Options of every way to get a token. */
export interface AuthorizationOptions {
  /**
   * Binds tokens to a key of this client, so that a stolen token is useless. Done anyway where the server requires it.
   */
  dpop?: boolean | undefined;
  /** Allows servers and authorization servers in private networks. */
  allowPrivateAddresses?: boolean | undefined;
  /** Separates accounts that use the same store for the same server. */
  account?: string | undefined;
  /** Reports problems that the author should know of, though no request failed; the console by default. */
  onWarning?: ((message: string) => void) | undefined;
}

export interface AuthorizationParts {
  grant: Grant;
  store: CredentialStore;
  createFetch(rules: FetchRules): GuardedFetch;
  options: AuthorizationOptions;
}

/** How many authorization servers of a list are tried. */
const MAX_ISSUERS = 5;
/** Errors that make a refresh token useless. Other errors may be temporary. */
const SPENT = ['invalid_grant', 'invalid_client', 'unauthorized_client', 'invalid_scope', 'invalid_target'];

/** Obtains access to one server, and keeps it. */
export class Authorization implements Authorizer {
  readonly #serverUrl: string;
  readonly #origin: string;
  readonly #grant: Grant;
  readonly #options: AuthorizationOptions;
  readonly #rules: FetchRules;
  readonly #fetch: GuardedFetch;
  readonly #tokens: SharedTokens;
  readonly #servers = new Map<string, AuthorizationServer>();
  #waiting = 0;
  /** Aborts when no request waits for tokens any more. */
  #unneeded = new AbortController();
  #loading: Promise<TokenSet | undefined> | undefined;
  #isLoaded = false;
  /** Set while new tokens are being obtained; all requests wait for the same ones. */
  #renewing: Promise<TokenSet> | undefined;
  #proof: { tokens: TokenSet; key: Promise<ProofKey> } | undefined;
  nonce: string | undefined;
  /** Whether the revisions that the latest connection allows demand metadata. */
  needsMetadata = false;
  /** The revision of the latest request. */
  #revision: string | undefined;

  constructor(serverUrl: string, { grant, store, createFetch, options }: AuthorizationParts) {
    const { hostname, origin } = new URL(serverUrl);
    const { account, onWarning = console.warn } = options;
    this.#serverUrl = serverUrl;
    this.#origin = origin;
    this.#grant = grant;
    this.#options = options;
    const allowPrivate = options.allowPrivateAddresses ?? false;
    this.#rules = { allowLoopback: allowPrivate || isLoopback(hostname), allowPrivate };
    this.#fetch = createFetch(this.#rules);
    const key = account === undefined ? `tokens ${serverUrl}` : `tokens ${serverUrl} ${account}`;
    this.#tokens = new SharedTokens(store, key, onWarning);
  }

  async identity(): Promise<string> {
    const tokens = await this.#load();
    return tokens ? digest(tokens.accessToken) : '';
  }

  begin(request: Parameters<Authorizer['begin']>[0]): RequestAccess {
    this.#revision = request.revision ?? this.#revision;
    return new TokenRequestAccess(this, request);
  }

  /** The tokens to use now, if there are any. */
  tokens(): Awaitable<TokenSet | undefined> {
    const { current } = this.#tokens;
    if (current && !isExpired(current)) return current;
    return this.#refreshed();
  }

  /** The tokens for a request that nobody waits for: refreshed if they can be, but no user is asked for new ones. */
  async tokensAtHand(): Promise<TokenSet | undefined> {
    const tokens = await this.#load();
    if (!tokens || !isExpired(tokens) || tokens.refreshToken === undefined || this.#renewing) return tokens;
    return this.#tokens
      .renew(isExpired, async old => {
        const refreshed = await this.#refresh(old);
        if (!refreshed) throw new AccessError('denied', 'the user has to sign in again');
        return refreshed;
      })
      .catch(() => tokens);
  }

  async #refreshed(): Promise<TokenSet | undefined> {
    const tokens = await this.#load();
    // Without tokens the request is sent as it is: the server's response says whether any are needed, and which.
    if (!tokens || !isExpired(tokens) || tokens.refreshToken === undefined) return this.#tokens.current;
    return this.renew(tokens, undefined);
  }

  /** The tokens that are known, whether they are expired or not. */
  async #load(): Promise<TokenSet | undefined> {
    if (!this.#isLoaded) {
      this.#loading ??= this.#tokens.load().finally(() => {
        this.#loading = undefined;
      });
      await this.#loading;
      this.#isLoaded = true;
    }
    return this.#tokens.current;
  }

  /** The headers with the access token. They are sent to the origin of the server and to no other. */
  headersFor(
    request: Pick<HttpRequest, 'method' | 'url'>,
    tokens: TokenSet,
    nonce: string | undefined,
  ): Awaitable<Readonly<Record<string, string>>> {
    if (new URL(request.url).origin !== this.#origin) return {};
    if (tokens.type === 'DPoP') return this.#prove(request, tokens, nonce);
    return { authorization: `Bearer ${tokens.accessToken}` };
  }

  async #prove(
    request: Pick<HttpRequest, 'method' | 'url'>,
    tokens: TokenSet,
    nonce: string | undefined,
  ): Promise<Readonly<Record<string, string>>> {
    if (!tokens.key)
      throw new AccessError('token', 'the token is bound to a key that is missing; sign in again');
    if (this.#proof?.tokens !== tokens) this.#proof = { tokens, key: ProofKey.load(tokens.key) };
    const key = await this.#proof.key;
    const dpop = await key.prove(request, tokens.accessToken, nonce);
    return { authorization: `DPoP ${tokens.accessToken}`, dpop };
  }

  /**
   * Replaces tokens that no longer work. `demand`: what the server said when it refused them, if it did. `isFutile`:
   * refreshing these would not help.
   */
  renew(used: TokenSet | undefined, demand: Demand | undefined, isFutile = false): Promise<TokenSet> {
    const isStale = (tokens: TokenSet) => tokens.accessToken === used?.accessToken || isExpired(tokens);
    return this.#once(signal =>
      this.#tokens.renew(isStale, async old => {
        const found = demand && (await this.#discover(demand));
        const isKnownToFail = isFutile && old?.accessToken === used?.accessToken;
        // A server that refuses a token may have moved to another authorization server.
        const hasMoved = found && old && !found.issuers.includes(old.issuer);
        const refreshed = isKnownToFail || hasMoved ? undefined : await this.#refresh(old);
        const scopes = uniteScopes(old?.scopes ?? [], this.#grant.scopes);
        if (refreshed) return refreshed;
        return this.#obtain(demand ?? {}, scopes, old, demand ? found : await this.#discover({}), signal);
      }),
    );
  }

  async scopesFor(demand: Demand): Promise<readonly string[] | undefined> {
    return (await this.#discover(demand))?.scopes;
  }

  /** Gets tokens with more scopes. */
  stepUp(used: TokenSet, demand: Demand): Promise<TokenSet> {
    const isStale = (tokens: TokenSet) => tokens.accessToken === used.accessToken;
    return this.#once(signal =>
      this.#tokens.renew(isStale, async old => {
        const scopes = uniteScopes(used.scopes, old?.scopes ?? [], this.#grant.scopes);
        return this.#obtain(demand, scopes, old, await this.#discover(demand), signal);
      }),
    );
  }

  join(): void {
    this.#waiting++;
  }

  leave(): void {
    if (--this.#waiting > 0) return;
    this.#unneeded.abort();
    this.#unneeded = new AbortController();
    // Later requests do not join what was given up.
    this.#renewing = undefined;
  }

  /** Stores tokens that were obtained by `finish`. */
  put(tokens: TokenSet): Promise<void> {
    this.#isLoaded = true;
    return this.#tokens.put(tokens);
  }

  /** Removes the tokens for the server. */
  signOut(): Promise<void> {
    return this.#tokens.clear();
  }

  /** What is needed to finish a sign-in that was begun at an issuer. */
  async partsFor(issuer: string) {
    return { server: await this.#serverOf(issuer), fetch: this.#fetch };
  }

  #once(work: (signal: AbortSignal) => Promise<TokenSet>): Promise<TokenSet> {
    if (this.#renewing) return this.#renewing;
    const renewing = work(this.#unneeded.signal).finally(() => {
      if (this.#renewing === renewing) this.#renewing = undefined;
    });
    this.#renewing = renewing;
    return renewing;
  }

  /** Uses the refresh token; undefined if it is no longer valid. */
  async #refresh(old: TokenSet | undefined): Promise<TokenSet | undefined> {
    if (old?.refreshToken === undefined) return undefined;
    const { refreshToken, issuer, clientId, resource, scopes, key: storedKey } = old;
    const server = await this.#serverOf(issuer);
    const client = await this.#grant.clientOf(server, old);
    if (!client) return undefined;
    const known = { client_id: clientId };
    const authentication = await authenticate(client, server);
    const key = storedKey && (await ProofKey.load(storedKey));
    try {
      const response = await requestTokens(server, known, { fetch: this.#fetch, key }, options =>
        refreshTokenGrantRequest(server, known, authentication, refreshToken, {
          ...options,
          additionalParameters: { resource },
        }),
      );
      const origin = { issuer, clientId, resource, scopes, ...(storedKey && { key: storedKey }) };
      const renewed = toTokenSet(response, origin);
      // A refresh token that is not replaced stays valid.
      return { refreshToken, ...(old.granted && { granted: old.granted }), ...renewed };
    } catch (error) {
      if (!(error instanceof GrantRefused) || !SPENT.includes(error.code)) throw error;
      if (error.code === 'invalid_client') await this.#grant.forget?.(server, clientId);
      return undefined;
    }
  }

  #discover({ resourceMetadata }: Demand): Promise<ProtectedResource | undefined> {
    return discoverResource(this.#serverUrl, resourceMetadata, this.#fetch);
  }

  async #obtain(
    demand: Demand,
    held: readonly string[],
    old: TokenSet | undefined,
    found: ProtectedResource | undefined,
    signal: AbortSignal,
  ): Promise<TokenSet> {
    const server = found ? await this.#chooseServer(found, old) : await this.#assume();
    const wantedByServer = demand.scope === undefined ? (found?.scopes ?? []) : parseScopes(demand.scope);
    const resource = found?.resource ?? canonical(this.#serverUrl);
    const { key, stored } = await this.#createKey(found, server);
    const wanted: Wanted = {
      serverUrl: this.#serverUrl,
      server,
      resource,
      scopes: uniteScopes(held, wantedByServer),
      fetch: this.#fetch,
      rules: this.#rules,
      key,
      storedKey: stored,
      signal,
      // Alone, the scope for it would replace the scopes that are given by default.
      mayAskForOffline: held.length + wantedByServer.length > 0,
    };
    return this.#grant.obtain(wanted).catch(error => {
      throw found || server.registration_endpoint !== `${this.#origin}/register`
        ? error
        : noAuthorizationServer(error);
    });
  }

  async #createKey(found: ProtectedResource | undefined, server: AuthorizationServer) {
    const isDemanded = found?.requiresDpop ?? false;
    if (!isDemanded && !this.#options.dpop) return { key: undefined, stored: undefined };
    if (!supportsProofs(server.dpop_signing_alg_values_supported)) {
      throw new AccessError(
        'token',
        `${server.issuer} does not bind tokens to keys (DPoP with ES256), which is asked for`,
      );
    }
    return ProofKey.generate();
  }

  /** Chooses the author's or the previous authorization server if the server still lists it; else the first one that can be reached. */
  async #chooseServer(
    { issuers }: ProtectedResource,
    old: TokenSet | undefined,
  ): Promise<AuthorizationServer> {
    const preferred = this.#grant.issuer ?? old?.issuer;
    const isListed = preferred !== undefined && issuers.includes(preferred);
    const candidates = isListed ? [preferred] : issuers.slice(0, MAX_ISSUERS);
    let failure: unknown;
    for (const issuer of candidates) {
      try {
        const server = await discoverServer(issuer, this.#fetch, this.#revision);
        this.#servers.set(issuer, server);
        return server;
      } catch (error) {
        if (!(error instanceof ConnectionError)) throw error;
        failure ??= error;
      }
    }
    throw failure;
  }

  async #assume(): Promise<AuthorizationServer> {
    if (this.needsMetadata) {
      throw new AccessError(
        'resource',
        `${this.#serverUrl} has no metadata that names its authorization server, which the revisions that this client allows demand; if you trust it to be its own, allow older revisions as well`,
      );
    }
    const server = await assumeServer(this.#serverUrl, this.#fetch, this.#revision);
    this.#servers.set(server.issuer, server);
    return server;
  }

  async #serverOf(issuer: string): Promise<AuthorizationServer> {
    const known = this.#servers.get(issuer);
    if (known) return known;
    const isOwn = !this.needsMetadata && issuer.replace(/\/$/, '') === this.#origin;
    const server = isOwn
      ? await assumeServer(this.#serverUrl, this.#fetch, this.#revision)
      : await discoverServer(issuer, this.#fetch, this.#revision);
    this.#servers.set(issuer, server);
    return server;
  }
}

/** @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#canonical-server-uri */
function canonical(serverUrl: string): string {
  const url = new URL(serverUrl);
  url.hash = '';
  return url.href.replace(/\/$/, '');
}

/** A server without metadata may not use OAuth at all, but API keys that its users pass on by hand. */
function noAuthorizationServer(cause: unknown): unknown {
  if (!(cause instanceof AccessError) || cause.problem !== 'registration') return cause;
  const message =
    'the server requires a token, but names no authorization server; if you have a token, such as an API key, pass `bearer(token)`';
  return new AccessError('resource', message, { cause });
}
