import { ConnectionError } from '../../protocol/failures.js';

/** Error codes of failures before the connection was established, so that nothing can have been sent. */
const BEFORE_SENDING: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** The error for a request without a response. Only some failures prove that it was not sent. */
export function sendFailure(thrown: unknown): ConnectionError {
  const cause = reasonOf(thrown);
  const why = cause instanceof Error ? cause.message || codeOf(cause) : String(cause);
  const what = BEFORE_SENDING.has(codeOf(cause))
    ? 'the request did not reach the server'
    : 'no answer came, and it is not known whether the request reached the server';
  return new ConnectionError(`${what}: ${why}`, { cause: thrown });
}

/** The message of an error from `fetch` says little; its cause says more. */
function reasonOf(thrown: unknown): unknown {
  return thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | undefined)?.code ?? '');
}
