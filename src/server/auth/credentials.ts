import type { ProtectedRequest } from '../http/protection.js';
import { MAX_TOKEN_LENGTH } from '../limits.js';

/** How a token is presented: it is enough to have it, or the client also proves that it has the token's key. */
export type Scheme = 'Bearer' | 'DPoP';

export interface Credentials {
  readonly scheme: Scheme;
  readonly token: string;
}

/** A request presents a token in a way that is not allowed. */
export class MalformedAuthorization extends Error {
  override readonly name = 'MalformedAuthorization';
}

const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

/**
 * The Authorization header of a request, if it has one. Throws if a token was sent in another way, or more than once.
 * @see https://www.rfc-editor.org/rfc/rfc6750#section-2
 */
export function readAuthorization(request: ProtectedRequest): string | undefined {
  // URLs end up in logs and histories.
  if (request.query.has('access_token')) {
    throw new MalformedAuthorization('send the token in the Authorization header, never in the URL');
  }
  const header = request.header('authorization');
  if (header !== undefined && request.isRepeated('authorization')) {
    throw new MalformedAuthorization('the Authorization header must not be repeated');
  }
  return header;
}

/** The token in a header, not checked yet, and its scheme; undefined if the scheme is not accepted. */
export function parseAuthorization(header: string, schemes: readonly Scheme[]): Credentials | undefined {
  const text = header.trim();
  const space = text.indexOf(' ');
  const written = space < 0 ? text : text.slice(0, space);
  const scheme = schemes.find(known => known.toLowerCase() === written.toLowerCase());
  if (!scheme) return undefined;
  return { scheme, token: space < 0 ? '' : text.slice(space).trimStart() };
}

/** Throws if the text cannot be a token. */
export function checkToken({ scheme, token }: Credentials): void {
  if (token.length > MAX_TOKEN_LENGTH || !TOKEN.test(token)) {
    throw new MalformedAuthorization(`the Authorization header must be "${scheme}" and one token`);
  }
}

/** The DPoP proof that comes with a token. */
export function readProof(request: ProtectedRequest): string {
  const proof = request.header('dpop');
  if (proof === undefined || request.isRepeated('dpop')) {
    throw new MalformedAuthorization('a token with the scheme DPoP needs one DPoP header');
  }
  return proof;
}
