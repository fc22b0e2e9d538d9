import { type ErrorKind, TenonError } from '../../base/errors.js';

/** What went wrong, in one word, for programs; the message is for people. */
export type AuthProblem =
  /** A URL that nothing may be fetched from: its scheme, its address, or where it redirects to. */
  | 'address'
  /** A document that is too large, too slow, or not what it should be. */
  | 'document'
  /** The metadata of the protected resource: there is none, or it is for something else. */
  | 'resource'
  /** The authorization server is not who it should be. */
  | 'issuer'
  /** The authorization server does not support PKCE with S256. */
  | 'pkce'
  /** There is no way to become a client of the authorization server. */
  | 'registration'
  /** What came back from the authorization server does not belong to what was asked. */
  | 'response'
  /** The user has to visit a page first. */
  | 'sign-in'
  /** The user, or the authorization server, said no. */
  | 'denied'
  /** What the token endpoint gave cannot be used. */
  | 'token'
  /** The server does not accept what the authorization server gave. */
  | 'refused'
  /** The server wants scopes that cannot be had. */
  | 'scope'
  /** The store does not work. */
  | 'store';

/** Parts of it may come from others, who have more to say than anybody wants to read. */
const MAX_MESSAGE = 4000;

/**
 * Access to a server could not be had, or the server refuses it. `problem` says in one word why; the message says what
 * to do. Nothing secret was sent to a server that it was not meant for.
 *
 * @example
 * try {
 *   await connect(url, { auth: bearer('an-old-token') });
 * } catch (error) {
 *   if (error instanceof AccessError && error.problem === 'refused') console.error('the token is no longer good');
 * }
 */
export class AccessError extends TenonError {
  override readonly name: string = 'AccessError';
  override readonly kind: ErrorKind = 'access';
  readonly problem: AuthProblem;

  constructor(problem: AuthProblem, message: string, options?: ErrorOptions) {
    super(message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message, options);
    this.problem = problem;
  }
}

/**
 * The user has to visit a page first. Bring them to `url`; when they come back, call `finish` of the `signIn` with the
 * address at which they did, and connect again.
 *
 * @example
 * const auth = signIn({ redirect: { uri: 'https://app.example/callback' } });
 * try {
 *   await connect(url, { auth });
 * } catch (error) {
 *   if (error instanceof SignInRequired) console.error('please sign in at', error.url.origin);
 * }
 */
export class SignInRequired extends AccessError {
  override readonly name = 'SignInRequired';
  override readonly kind = 'sign-in-required';
  readonly url: URL;

  constructor(url: URL) {
    super('sign-in', `the user has to sign in first, at ${url.origin}`);
    this.url = url;
  }
}
