import { ConnectionError } from '../../protocol/failures.js';

/** System calls that fail before there is a connection. Later failures, also with the same code, are of others. */
const BEFORE_CONNECTED: ReadonlySet<unknown> = new Set(['connect', 'getaddrinfo']);
/** Errors of runtimes that do not name the system call. */
const CONNECT_TIMEOUT = 'UND_ERR_CONNECT_TIMEOUT';

/** The error for a request without a response. Only some failures prove that it was not sent. */
export function sendFailure(thrown: unknown): ConnectionError {
  if (!isUnsent(reasonOf(thrown))) return unknownFailure(thrown);
  return new ConnectionError(`the request did not reach the server: ${describeFailure(thrown)}`, {
    cause: thrown,
    hadNoEffect: true,
  });
}

/** The error for a request without a response that may have reached the server. */
export function unknownFailure(thrown: unknown): ConnectionError {
  const what = 'no answer came, and it is not known whether the request reached the server';
  return new ConnectionError(`${what}: ${describeFailure(thrown)}`, { cause: thrown });
}

export function describeFailure(thrown: unknown): string {
  const reason = reasonOf(thrown);
  return reason instanceof Error ? reason.message || codeOf(reason) : String(reason);
}

/** Whether no connection was made, so that nothing can have been sent. */
function isUnsent(reason: unknown): boolean {
  // A host with several addresses: there is an error for each.
  if (reason instanceof AggregateError && reason.errors.length > 0) return reason.errors.every(isUnsent);
  return (
    BEFORE_CONNECTED.has((reason as { syscall?: unknown })?.syscall) || codeOf(reason) === CONNECT_TIMEOUT
  );
}

/** The message of an error from `fetch` says little; its cause says more. */
function reasonOf(thrown: unknown): unknown {
  return thrown instanceof Error && thrown.cause instanceof Error ? thrown.cause : thrown;
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | undefined)?.code ?? '');
}
