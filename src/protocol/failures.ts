import { type ErrorKind, TenonError } from '../base/errors.js';

/** A request that was not answered in time. */
export class RequestTimeout extends TenonError {
  override readonly name: string = 'RequestTimeout';
  override readonly kind: ErrorKind = 'timeout';
}

/** A question that the client did not answer in time. Whoever made the request that it belongs to may know. */
export class AnswerTimeout extends RequestTimeout {
  override readonly name = 'AnswerTimeout';
  override readonly kind = 'answer-timeout';
}

/**
 * The connection could not be made, or broke before the answer came. Whether the server has acted on the
 * request is unknown.
 */
export class ConnectionError extends TenonError {
  override readonly name: string = 'ConnectionError';
  override readonly kind: ErrorKind = 'connection';
}

/** The server wants access tokens, and who gives them out cannot be reached. Trying again may help. */
export class AccessUnreachable extends ConnectionError {
  override readonly name = 'AccessUnreachable';
  override readonly kind = 'access-unreachable';

  constructor(cause: ConnectionError) {
    super(`access could not be got: ${cause.message}`, { cause });
  }
}

/** An HTTP response that is no answer: a status without a JSON-RPC message. */
export class HttpError extends ConnectionError {
  override readonly name = 'HttpError';
  override readonly kind = 'http';
  readonly status: number;
  /** How the body begins. */
  readonly body: string;

  constructor(status: number, body: string, message?: string) {
    super(message ?? `the server answered with HTTP status ${status}${body && `: ${body.slice(0, 200)}`}`);
    this.status = status;
    this.body = body;
  }
}

/** Whether the connection broke, so that nobody knows what became of the request. */
export function isBroken(error: unknown): boolean {
  return error instanceof ConnectionError && !(error instanceof HttpError);
}

/** Whether the server could not be asked. One that refused was asked. */
export function isOutOfReach(error: unknown): boolean {
  if (error instanceof HttpError) return error.status >= 500 || error.status === 429;
  if (error instanceof ConnectionError && error.cause instanceof HttpError) return isOutOfReach(error.cause);
  return error instanceof ConnectionError || error instanceof RequestTimeout;
}

/** Whether a status is about what was asked, as opposed to access or to the state of the server. */
export function isAboutRequest(status: number): boolean {
  return status >= 400 && status < 500 && ![401, 403, 407, 408, 421, 425, 429].includes(status);
}

/** The server sent something that the protocol does not allow, in answer to a request. */
export class InvalidAnswer extends TenonError {
  override readonly name = 'InvalidAnswer';
  override readonly kind = 'invalid-answer';
}

/** A server that asks again and again. */
export class TooManyRounds extends TenonError {
  override readonly name = 'TooManyRounds';
  override readonly kind = 'too-many-rounds';
}
