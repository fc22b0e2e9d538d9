import { clip } from '../../base/clip.js';
import { type ErrorKind, TenonError } from '../../base/errors.js';

/** The kind of problem, for programs; the message is for people. */
export type AuthProblem =
  /** A URL must not be used (its scheme, its address, a redirect), or the loopback address cannot be opened. */
  | 'address'
  /** A document is too large, too slow, or cannot be read. */
  | 'document'
  /** The metadata of the protected resource is missing, or is for another resource. */
  | 'resource'
  /** The authorization server is not the expected one, or its metadata cannot be used. */
  | 'issuer'
  /** The authorization server does not support PKCE with S256. */
  | 'pkce'
  /** There is no way to register as a client of the authorization server. */
  | 'registration'
  /** The response of the authorization server does not belong to the request. */
  | 'response'
  /** The user has to visit a page first. */
  | 'sign-in'
  /** The user or the authorization server denied access, or the sign-in was not completed. */
  | 'denied'
  /** A token cannot be used: its format, its type, or its key. */
  | 'token'
  /** The server refuses the token. */
  | 'refused'
  /** The server requires scopes that cannot be obtained. */
  | 'scope'
  /** The store does not work, or contains something else. */
  | 'store';

/** Parts of a message may come from servers, which may send very long texts. */
const MAX_MESSAGE = 4000;

/**
 * Access to a server could not be obtained, or the server refuses it. `problem` names the kind of problem; the message
 * says what to do. No secret was sent to a server that it was not meant for.
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
    super(clip(message, MAX_MESSAGE), options);
    this.problem = problem;
  }
}

/**
 * The user has to visit a page first. Send them to `url`; when they come back, call `finish` of the `signIn` with the
 * address that they came back to, and connect again.
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
