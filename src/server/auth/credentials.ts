import type { ProtectedRequest } from '../http/protection.js';
import { MAX_TOKEN_LENGTH } from '../limits.js';

/** How a token is presented: it is enough to have it, or the holder also proves to have its key. */
export type Scheme = 'Bearer' | 'DPoP';

export interface Credentials {
  readonly scheme: Scheme;
  readonly token: string;
}

/** A request that has a token in a way that must not be. */
export class MalformedAuthorization extends Error {
  override readonly name = 'MalformedAuthorization';
}

const TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

/**
 * The Authorization header of a request, if it has one. Throws if a token came in another way, or more than once.
 * @see https://www.rfc-editor.org/rfc/rfc6750#section-2
 */
export function readAuthorization(request: ProtectedRequest): string | undefined {
  // What is in a URL ends up in logs and histories.
  if (request.query.has('access_token')) {
    throw new MalformedAuthorization('send the token in the Authorization header, never in the URL');
  }
  const header = request.header('authorization');
  if (header !== undefined && request.isRepeated('authorization')) {
    throw new MalformedAuthorization('the Authorization header must not be repeated');
  }
  return header;
}

/** The token in a header, not looked at yet, and how it is presented; undefined if its scheme is not accepted. */
export function parseAuthorization(header: string, schemes: readonly Scheme[]): Credentials | undefined {
  const text = header.trim();
  const space = text.indexOf(' ');
  const written = space < 0 ? text : text.slice(0, space);
  const scheme = schemes.find(known => known.toLowerCase() === written.toLowerCase());
  if (!scheme) return undefined;
  return { scheme, token: space < 0 ? '' : text.slice(space).trimStart() };
}

/** Makes sure that what is presented as a token can be one. */
export function checkToken({ scheme, token }: Credentials): void {
  if (token.length > MAX_TOKEN_LENGTH || !TOKEN.test(token)) {
    throw new MalformedAuthorization(`the Authorization header must be "${scheme}" and one token`);
  }
}

/** The proof that comes with a token. */
export function readProof(request: ProtectedRequest): string {
  const proof = request.header('dpop');
  if (proof === undefined || request.isRepeated('dpop')) {
    throw new MalformedAuthorization('a token with the scheme DPoP needs one DPoP header');
  }
  return proof;
}
