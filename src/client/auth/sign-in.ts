import {
  type AuthorizationServer,
  authorizationCodeGrantRequest,
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomState,
  validateAuthResponse,
} from 'oauth4webapi';
import { throwIfAborted } from '../../base/abort.js';
import { parseUrl } from '../../base/url.js';
import { authenticate, type ClientIdentity } from './client-identity.js';
import type { StoredKey } from './dpop.js';
import { AccessError, SignInRequired } from './errors.js';
import type { Grant, Wanted } from './grant.js';
import { type FetchRules, urlProblem } from './guarded-fetch.js';
import { checkRedirectUri, type Redirect } from './redirect.js';
import { type RegistrationOptions, Registrations } from './registration.js';
import { givenScopes, uniteScopes } from './scopes.js';
import type { CredentialStore } from './store.js';
import { GrantRefused, requestTokens } from './token-endpoint.js';
import { type TokenSet, toTokenSet } from './tokens.js';

/** The state of a sign-in that can be finished later, also by another process. */
export interface PendingSignIn {
  serverUrl: string;
  issuer: string;
  resource: string;
  scopes: readonly string[];
  clientId: string;
  redirectUri: string;
  verifier: string;
  state: string;
  key?: StoredKey;
  startedAt: number;
}

/** What is needed to exchange a code. */
type CodeExchange = Pick<Wanted, 'server' | 'fetch' | 'key'>;

/** How long a user may take to come back. */
const PENDING_MS = 60 * 60_000;
/** How many characters all that are stored may have, thousands of them as a rule; then the oldest ones give way. */
const MAX_PENDING = 4 * 1024 * 1024;
const OFFLINE = 'offline_access';
/** The longest address of a page: a longer one cannot be passed to a browser on every system. */
const MAX_PAGE = 32 * 1024;

/** The authorization code grant with PKCE: the user visits a page, and comes back with a code. */
export class SignInGrant implements Grant {
  readonly scopes: readonly string[];
  readonly issuer: string | undefined;
  readonly #redirect: Redirect;
  readonly #registrations: Registrations;
  readonly #store: CredentialStore;
  /** Those that this process has stored, oldest first. */
  readonly #begun: { state: string; startedAt: number; size: number }[] = [];
  #begunSize = 0;

  constructor(
    options: RegistrationOptions & { scopes?: readonly string[] | undefined; redirect: Redirect },
    store: CredentialStore,
  ) {
    this.scopes = givenScopes(options.scopes);
    this.issuer = options.client?.issuer;
    this.#redirect = options.redirect;
    this.#registrations = new Registrations(options, store);
    this.#store = store;
  }

  async clientOf(server: AuthorizationServer, { clientId }: TokenSet): Promise<ClientIdentity | undefined> {
    return this.#registrations.find(server, clientId);
  }

  forget(server: AuthorizationServer, clientId: string): Promise<boolean> {
    return this.#registrations.forget(server, clientId);
  }

  async obtain(wanted: Wanted): Promise<TokenSet> {
    const { server, rules, signal } = wanted;
    checkServer(server, rules);
    throwIfAborted(signal);
    const redirection = await this.#redirect.prepare(await this.#registrations.redirectUri(server.issuer));
    try {
      checkRedirectUri(redirection.uri);
      const client = await this.#registrations.obtain(server, redirection.uri, wanted.fetch);
      const { pending, url } = await this.#prepare(wanted, client, redirection.uri);
      // Metadata was fetched meanwhile. No page is opened that nobody waits for.
      throwIfAborted(signal);
      const { waits = true } = redirection;
      if (!waits) await this.#keep(pending);
      const back = await redirection.visit(url, signal);
      if (back) return await this.#finish(wanted, pending, client, back);
      if (waits) await this.#keep(pending);
      throw new SignInRequired(url);
    } finally {
      await redirection.close();
    }
  }

  /** Stores a sign-in until the user comes back. Many users never do, and a server may ask for one on every request. */
  async #keep(pending: PendingSignIn): Promise<void> {
    const { state, startedAt } = pending;
    const text = JSON.stringify(pending);
    await this.#store.replace(keyOf(state), text, undefined);
    this.#begun.push({ state, startedAt, size: text.length });
    this.#begunSize += text.length;
    for (let [oldest] = this.#begun; oldest; [oldest] = this.#begun) {
      if (this.#begunSize <= MAX_PENDING && oldest.startedAt + PENDING_MS >= Date.now()) return;
      this.#begun.shift();
      this.#begunSize -= oldest.size;
      const key = keyOf(oldest.state);
      const stored = await this.#store.get(key);
      if (stored) await this.#store.replace(key, undefined, stored.version);
    }
  }

  /** The pending sign-in for the `state` that a user came back with. It can be taken once. */
  async take(back: URL): Promise<PendingSignIn> {
    const state = back.searchParams.get('state');
    const stored = state === null ? undefined : await this.#store.get(keyOf(state));
    const isTaken = stored && (await this.#store.replace(keyOf(state as string), undefined, stored.version));
    const pending = isTaken ? parsePending(stored.value) : undefined;
    if (!pending || pending.startedAt + PENDING_MS < Date.now()) {
      throw new AccessError(
        'response',
        'no sign-in waits for this address: it is unknown, expired or already used; let the user sign in again',
      );
    }
    return pending;
  }

  /** Continues a sign-in after the user came back. */
  async resume(pending: PendingSignIn, back: URL, rest: CodeExchange): Promise<TokenSet> {
    const client = await this.#registrations.find(rest.server, pending.clientId);
    if (!client)
      throw new AccessError(
        'registration',
        `the client ${pending.clientId} is no longer registered; let the user sign in again`,
      );
    return this.#finish(rest, pending, client, back);
  }

  async #prepare(
    wanted: Wanted,
    client: ClientIdentity,
    redirectUri: string,
  ): Promise<{ pending: PendingSignIn; url: URL }> {
    const { serverUrl, server, resource, key, storedKey } = wanted;
    const scopes =
      wanted.mayAskForOffline && server.scopes_supported?.includes(OFFLINE)
        ? uniteScopes(wanted.scopes, [OFFLINE])
        : wanted.scopes;
    const pending: PendingSignIn = {
      serverUrl,
      issuer: server.issuer,
      resource,
      scopes,
      clientId: client.id,
      redirectUri,
      verifier: generateRandomCodeVerifier(),
      state: generateRandomState(),
      ...(storedKey && { key: storedKey }),
      startedAt: Date.now(),
    };
    const url = new URL(server.authorization_endpoint as string);
    const parameters = {
      response_type: 'code',
      client_id: client.id,
      redirect_uri: redirectUri,
      state: pending.state,
      code_challenge: await calculatePKCECodeChallenge(pending.verifier),
      code_challenge_method: 'S256',
      resource,
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
      // OpenID providers issue refresh tokens only after the user was asked for consent.
      ...(scopes.includes(OFFLINE) && { prompt: 'consent' }),
      ...(key && { dpop_jkt: key.thumbprint }),
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    if (url.href.length > MAX_PAGE)
      throw new AccessError(
        'address',
        `the address of the page to sign in at has ${url.href.length} characters, more than browsers and servers take (${MAX_PAGE}); the server may ask for too many scopes`,
      );
    return { pending, url };
  }

  async #finish(
    wanted: CodeExchange,
    pending: PendingSignIn,
    client: ClientIdentity,
    back: URL,
  ): Promise<TokenSet> {
    const { server, fetch, key } = wanted;
    const { issuer, resource, scopes, redirectUri } = pending;
    const known = { client_id: client.id };
    const parameters = readResponse(server, client, back, pending.state);
    const authentication = await authenticate(client, server);
    const response = await requestTokens(server, known, { fetch, key }, options =>
      authorizationCodeGrantRequest(
        server,
        known,
        authentication,
        parameters,
        redirectUri,
        pending.verifier,
        {
          ...options,
          additionalParameters: { resource },
        },
      ),
    ).catch(async error => {
      // The registration was removed at the server, so the next sign-in registers again.
      if (error instanceof GrantRefused && error.code === 'invalid_client')
        await this.#registrations.forget(server, client.id);
      throw error;
    });
    const origin = {
      issuer,
      clientId: client.id,
      resource,
      scopes,
      ...(pending.key && { key: pending.key }),
    };
    return toTokenSet(response, origin);
  }
}

function keyOf(state: string): string {
  return `pending ${state}`;
}

/** Drops the parser's error, whose message would quote the stored secret. */
function parsePending(value: string): PendingSignIn | undefined {
  try {
    return JSON.parse(value) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Checks an authorization server before the user is sent to it. */
function checkServer(
  {
    issuer,
    authorization_endpoint: page,
    token_endpoint: endpoint,
    code_challenge_methods_supported: methods,
  }: AuthorizationServer,
  rules: FetchRules,
): void {
  if (!methods?.includes('S256')) {
    throw new AccessError(
      'pkce',
      `${issuer} does not say that it supports PKCE with S256, without which a code can be stolen`,
    );
  }
  const url = page === undefined ? undefined : parseUrl(page);
  if (!url) throw new AccessError('issuer', `the metadata of ${issuer} has no page to sign in at`);
  // The user's browser opens this page, not this program, so any address is allowed.
  const problem = urlProblem(url, { allowLoopback: true, allowPrivate: true });
  if (problem)
    throw new AccessError('address', `the page to sign in at, ${page}, cannot be opened: ${problem}`);
  checkTokenEndpoint(issuer, endpoint, rules);
}

/** A user who has signed in for nothing would have given a code away. */
function checkTokenEndpoint(issuer: string, endpoint: string | undefined, rules: FetchRules): void {
  const place = endpoint === undefined ? undefined : parseUrl(endpoint);
  if (!place) throw new AccessError('issuer', `the metadata of ${issuer} has no token endpoint`);
  const unsafe = urlProblem(place, rules);
  if (unsafe) throw new AccessError('address', `the token endpoint of ${issuer} cannot be used: ${unsafe}`);
}

/**
 * Checks that the response belongs to the request, and comes from the expected authorization server.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#authorization-response-validation
 */
function readResponse(
  server: AuthorizationServer,
  client: ClientIdentity,
  back: URL,
  state: string,
): URLSearchParams {
  try {
    // The library takes an empty issuer for none.
    if (back.searchParams.get('iss') === '') throw new Error('it comes from an empty issuer');
    const parameters = validateAuthResponse(server, { client_id: client.id }, back, state);
    if (parameters.getAll('code').filter(Boolean).length !== 1)
      throw new Error('there is no code, or several');
    return parameters;
  } catch (cause) {
    const error = (cause as { error?: unknown }).error;
    if (typeof error === 'string')
      throw new AccessError('denied', `the user or ${server.issuer} denied access (${error})`, { cause });
    const message = `the response from the page of ${server.issuer} does not belong to this sign-in: ${(cause as Error).message}`;
    throw new AccessError('response', message, { cause });
  }
}
