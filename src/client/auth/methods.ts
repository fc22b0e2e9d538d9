import { UsageError } from '../../base/errors.js';
import { checkOptions } from '../../base/options.js';
import { parseUrl } from '../../base/url.js';
import type { ClientAuth } from '../http/access.js';
import { Authorization, type AuthorizationOptions } from './authorization.js';
import { ClientCredentialsGrant, type ClientCredentialsOptions } from './client-credentials.js';
import { ProofKey } from './dpop.js';
import { EnterpriseGrant, type EnterpriseOptions } from './enterprise.js';
import type { Grant } from './grant.js';
import { createGuardedFetch, type FetchRules, type GuardedFetch } from './guarded-fetch.js';
import { memoryStore } from './memory-store.js';
import {
  CLIENT_CREDENTIALS_OPTIONS,
  ENTERPRISE_OPTIONS,
  SIGN_IN_OPTIONS,
  WORKLOAD_IDENTITY_OPTIONS,
} from './option-names.js';
import { checkRedirectUri, type Redirect } from './redirect.js';
import type { RegistrationOptions } from './registration.js';
import { SignInGrant } from './sign-in.js';
import type { CredentialStore } from './store.js';
import { WorkloadIdentityGrant, type WorkloadIdentityOptions } from './workload-identity.js';

/** What a runtime provides for authorization. */
export interface AuthPlatform {
  /** Creates a fetch for the addresses that the rules allow, as far as the runtime can check them. */
  createFetch(rules: FetchRules): GuardedFetch;
  /** The default way to let users sign in; absent on runtimes that have none. */
  createRedirect?(): Redirect;
}

/** Options of every way to get tokens. */
export interface CommonOptions extends AuthorizationOptions {
  /** Stores tokens; by default in the memory of this process. */
  store?: CredentialStore | undefined;
  /** Sends the requests to authorization servers, instead of the runtime's own client. */
  fetch?: typeof globalThis.fetch | undefined;
}

/** Options of `signIn`. */
export interface SignInOptions extends CommonOptions, RegistrationOptions {
  /** How users get to the sign-in page and back; on Node, through their browser by default. */
  redirect?: Redirect | { uri: string; open?: ((url: URL) => unknown) | undefined } | undefined;
  /** Scopes to request in addition to those that the server asks for. */
  scopes?: readonly string[] | undefined;
}

/** Access on behalf of a user who signs in. */
export interface SignIn extends ClientAuth {
  /** Finishes a sign-in that began with `SignInRequired`. `url` is the whole address that the user came back to. */
  finish(url: string | URL): Promise<void>;
  /** Removes the tokens for a server. */
  signOut(serverUrl: string | URL): Promise<void>;
}

/** The ways to get a token. */
export interface AuthMethods {
  signIn(options?: SignInOptions): SignIn;
  clientCredentials(options: ClientCredentialsOptions & CommonOptions): ClientAuth;
  workloadIdentity(options: WorkloadIdentityOptions & CommonOptions): ClientAuth;
  enterprise(options: EnterpriseOptions & CommonOptions): ClientAuth;
}

export function createAuthMethods(platform: AuthPlatform): AuthMethods {
  return {
    signIn(options = {}) {
      checkOptions(options, SIGN_IN_OPTIONS, 'signIn');
      const redirect = findRedirect(platform, options.redirect);
      return createSignIn(platform, { ...options, redirect });
    },
    clientCredentials(options) {
      checkOptions(options, CLIENT_CREDENTIALS_OPTIONS, 'clientCredentials');
      return authorize(platform, options, store => new ClientCredentialsGrant(identityOf(options), store));
    },
    workloadIdentity(options) {
      checkOptions(options, WORKLOAD_IDENTITY_OPTIONS, 'workloadIdentity');
      return authorize(platform, options, store => new WorkloadIdentityGrant(options, store));
    },
    enterprise(options) {
      checkOptions(options, ENTERPRISE_OPTIONS, 'enterprise');
      return authorize(platform, options, store => new EnterpriseGrant(options, store));
    },
  };
}

function createSignIn(platform: AuthPlatform, options: SignInOptions & { redirect: Redirect }): SignIn {
  const store = options.store ?? memoryStore();
  const grant = new SignInGrant(options, store);
  const authorizationFor = authorizations(platform, options, store, grant);
  return {
    authorizer: authorizerFrom(authorizationFor),
    async finish(url) {
      const back = toUrl(url, 'finish needs the whole address at which the user came back');
      const pending = await grant.take(back);
      const authorization = authorizationFor(pending.serverUrl);
      const parts = await authorization.partsFor(pending.issuer);
      const key = pending.key && (await ProofKey.load(pending.key));
      await authorization.put(await grant.resume(pending, back, { ...parts, key }));
    },
    async signOut(serverUrl) {
      await authorizationFor(toUrl(serverUrl, 'signOut needs the URL of a server').href).signOut();
    },
  };
}

function toUrl(url: string | URL, needed: string): URL {
  const parsed = parseUrl(String(url));
  if (parsed) return parsed;
  throw new UsageError(`${needed}, not ${JSON.stringify(url)}`);
}

function authorize(
  platform: AuthPlatform,
  options: CommonOptions,
  createGrant: (store: CredentialStore) => Grant,
): ClientAuth {
  const store = options.store ?? memoryStore();
  return { authorizer: authorizerFrom(authorizations(platform, options, store, createGrant(store))) };
}

function authorizerFrom(authorizationFor: (serverUrl: string) => Authorization): ClientAuth['authorizer'] {
  return (serverUrl, needsMetadata = false) => {
    const authorization = authorizationFor(serverUrl);
    authorization.needsMetadata = needsMetadata;
    return authorization;
  };
}

/** One object per server, so that all connections to it share their tokens. */
function authorizations(
  platform: AuthPlatform,
  options: CommonOptions,
  store: CredentialStore,
  grant: Grant,
): (serverUrl: string) => Authorization {
  const { fetch } = options;
  const made = new Map<string, Authorization>();
  const createFetch = fetch ? (rules: FetchRules) => createGuardedFetch(fetch, rules) : platform.createFetch;
  return serverUrl => {
    const authorization =
      made.get(serverUrl) ?? new Authorization(serverUrl, { grant, store, createFetch, options });
    made.set(serverUrl, authorization);
    return authorization;
  };
}

function identityOf(options: ClientCredentialsOptions): ClientCredentialsOptions {
  const { id, secret, method, privateKey, algorithm, issuer, scopes } = options;
  return { id, secret, method, privateKey, algorithm, issuer, scopes };
}

function findRedirect(platform: AuthPlatform, given: SignInOptions['redirect']): Redirect {
  if (given && 'prepare' in given) return given;
  if (given) return createOwnRedirect(given.uri, given.open);
  if (platform.createRedirect) return platform.createRedirect();
  throw new UsageError(
    'signIn needs `redirect` here: { uri: "https://…/callback" }, and call `finish` when the user comes back',
  );
}

/** Users come back to a page of the author's app, which calls `finish`. */
function createOwnRedirect(uri: string, open: ((url: URL) => unknown) | undefined): Redirect {
  checkRedirectUri(uri);
  return {
    prepare: () => ({
      uri,
      waits: false,
      async visit(url) {
        await open?.(url);
        return undefined;
      },
      close() {},
    }),
  };
}
