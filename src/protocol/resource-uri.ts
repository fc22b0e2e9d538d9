import { quoteBriefly } from '../base/json.js';
import { invalidParams } from './errors.js';

/** The longest URI of a resource that clients may send: matching it costs time for each template. */
export const MAX_URI_LENGTH = 4096;
/** How many characters the URIs that a session, or a listen request, subscribes to may have together. */
export const MAX_SUBSCRIBED_LENGTH = 64 * 1024;

/** An absolute URI: only the characters that RFC 3986 allows, all others encoded. */
const URI = /^[a-z][a-z\d+.-]*:(?:[\w.~:/?#[\]@!$&'()*+,;=-]|%[\da-f]{2})*$/i;

/** Whether a text has the form of a URI. */
export function isUri(text: string): boolean {
  return URI.test(text);
}

/** Reads the URI of a resource that a client sent. Throws `-32602` if it is not a URI, or too long to look for. */
export function readUri(uri: unknown): string {
  return orInvalid(uri, uriProblem);
}

/** Reads a URI, or a template of URIs, that a client sent. */
export function readUriOrTemplate(uri: unknown): string {
  return orInvalid(uri, lengthProblem);
}

function orInvalid(uri: unknown, problemOf: (uri: string) => string | undefined): string {
  if (typeof uri !== 'string') throw invalidParams('uri must be a string');
  const problem = problemOf(uri);
  if (problem) throw invalidParams(problem);
  return uri;
}

/** Why no resource can have this URI; undefined if one can. */
export function uriProblem(uri: string): string | undefined {
  return (
    lengthProblem(uri) ??
    (isUri(uri)
      ? undefined
      : `not a URI, which has a scheme and encodes other characters: ${quoteBriefly(uri)}`)
  );
}

/** Why a URI, or a template, is too long; undefined if it is not. */
export function lengthProblem({ length }: string): string | undefined {
  if (length <= MAX_URI_LENGTH) return undefined;
  return `a URI may have ${MAX_URI_LENGTH} characters, but this one has ${length}`;
}

/** Why a client may not watch these resources together; undefined if it may. */
export function watchProblem(uris: Iterable<string>): string | undefined {
  let length = 0;
  for (const uri of uris) {
    length += uri.length;
    if (length > MAX_SUBSCRIBED_LENGTH) {
      return `too many subscriptions: their URIs may have ${MAX_SUBSCRIBED_LENGTH} characters together`;
    }
    const problem = uriProblem(uri);
    if (problem) return problem;
  }
  return undefined;
}
