import { McpError } from '../protocol/errors.js';
import { AccessUnreachable, ConnectionError, HttpError, RequestTimeout } from '../protocol/failures.js';

export const PROBE = 'server/discover';

/** One attempt to reach a server, and its outcome. */
export interface ConnectAttempt {
  what: string;
  outcome: string;
}

/**
 * The client found no way to communicate with a server. The message begins with advice; `attempts` lists what was tried
 * and with which outcome.
 *
 * @example
 * try {
 *   await connect('http://127.0.0.1:9/mcp');
 * } catch (error) {
 *   if (error instanceof CannotConnect) console.error(error.attempts.map(({ what }) => what).join(', '));
 * }
 */
export class CannotConnect extends ConnectionError {
  override readonly name = 'CannotConnect';
  override readonly kind = 'cannot-connect';
  readonly attempts: readonly ConnectAttempt[];

  constructor(attempts: readonly ConnectAttempt[], advice: string, cause?: unknown) {
    const outcomes = attempts.map(({ outcome }) => outcome);
    const tried = attempts.map(({ what, outcome }, index) => {
      const isRepeated = outcome.includes('\n') && outcomes.indexOf(outcome) < index;
      return `  - ${what}: ${isRepeated ? 'the same again' : outcome.trimEnd()}`;
    });
    const lines = [...new Set(tried)].join('\n');
    super(`cannot connect to the server; ${advice}\n${lines}`, { cause, hadNoEffect: true });
    this.attempts = attempts;
  }
}

/** What the author of a client can do about a server that did not answer at all. */
export function adviceOnSilence(error: ConnectionError): string {
  if (error instanceof AccessUnreachable) return 'the authorization server that it names does not answer';
  return 'is it running, and is the address right?';
}

/** What the author of a client can do about a failed attempt. */
export function adviceOn(error: unknown): string {
  const response = responseOf(error);
  if (response) {
    const { status } = response;
    if (status === 401) return 'it requires authentication: pass `auth`, or the headers it asks for';
    if (status === 403)
      return 'it refuses access: check credentials, and whether it allows this host and origin';
    if (status >= 500) return 'it has trouble of its own, or a proxy in front of it has; try again later';
    if (status === 404) return 'there is nothing at this address; check its path';
  }
  if (error instanceof AccessUnreachable) return adviceOnSilence(error);
  if (error instanceof RequestTimeout) return 'it did not answer in time';
  return 'see what was tried:';
}

/** The HTTP response that brought an error, if it was none of success. */
export function responseOf(error: unknown): HttpError | undefined {
  const response = error instanceof McpError ? error.cause : error;
  return response instanceof HttpError ? response : undefined;
}
