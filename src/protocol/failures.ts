import { type ErrorKind, TenonError } from '../base/errors.js';

/**
 * The server did not respond to a request in time, or a task did not end in time. The server was told to stop, but may have
 * acted on the request. Repeat it if that does no harm, or give it more time (`timeoutMs`); each progress notification
 * restarts the timeout.
 *
 * @example
 * try {
 *   await client.callTool('bake');
 * } catch (error) {
 *   if (error instanceof RequestTimeout) console.error('the oven takes too long');
 * }
 */
export class RequestTimeout extends TenonError {
  override readonly name: string = 'RequestTimeout';
  override readonly kind: ErrorKind = 'timeout';
}

/**
 * A client did not answer a handler's question in time. This happens only with clients of the handshake revisions,
 * which are asked while the request is running, and in tasks. Continue without the answer, or let the error pass: the
 * client is told.
 *
 * @example
 * server.tool('reserve', {}, async (_, ctx) => {
 *   try {
 *     await ctx.elicit('How many guests?', z.object({ guests: z.number() }), { timeoutMs: patience });
 *     return 'reserved';
 *   } catch (error) {
 *     if (error instanceof AnswerTimeout) return 'Nobody said for how many guests.';
 *     throw error;
 *   }
 * });
 */
export class AnswerTimeout extends RequestTimeout {
  override readonly name = 'AnswerTimeout';
  override readonly kind = 'answer-timeout';
}

/**
 * The connection could not be established, or broke before the response came. Unless `hadNoEffect` is true, it is
 * unknown whether the server has acted on the request. Requests without side effects were repeated already; repeat
 * others if that does no harm. On a server: a session was asked that has no stream open; it can be asked in its requests.
 *
 * @example
 * try {
 *   await client.callTool('reserve', { restaurant: 'Chez Nous' });
 * } catch (error) {
 *   if (!(error instanceof ConnectionError)) throw error;
 *   console.error(error.hadNoEffect ? 'try again' : 'look whether there is a reservation, then try again');
 * }
 */
export class ConnectionError extends TenonError {
  override readonly name: string = 'ConnectionError';
  override readonly kind: ErrorKind = 'connection';
  /** Whether it is certain that the server did not act on the request. If false, it is unknown. */
  readonly hadNoEffect: boolean;

  constructor(message: string, options: ErrorOptions & { hadNoEffect?: boolean } = {}) {
    super(message, options);
    this.hadNoEffect = options.hadNoEffect ?? false;
  }
}

/**
 * The server wants an access token, and the authorization server that it names cannot be reached. The request was not
 * carried out. Try again later; `cause` says what failed.
 *
 * @example
 * try {
 *   await client.callTool('reserve', { restaurant: 'Chez Nous' });
 * } catch (error) {
 *   if (error instanceof AccessUnreachable) console.error('try again later:', error.message);
 * }
 */
export class AccessUnreachable extends ConnectionError {
  override readonly name = 'AccessUnreachable';
  override readonly kind = 'access-unreachable';

  constructor(cause: ConnectionError) {
    super(`access could not be obtained: ${cause.message}`, { cause, hadNoEffect: true });
  }
}

/**
 * The server, or a proxy in front of it, responded with an HTTP status that counts more than the message of the protocol,
 * if there is one, which is the `cause`. `status` says what to do: a proxy without its server (502, 503, 504) may be tried
 * again later, 404 means a wrong address.
 *
 * @example
 * try {
 *   await client.callTool('reserve', { restaurant: 'Chez Nous' });
 * } catch (error) {
 *   if (error instanceof HttpError && error.status === 503) console.error('try again later');
 * }
 */
export class HttpError extends ConnectionError {
  override readonly name = 'HttpError';
  override readonly kind = 'http';
  readonly status: number;
  /** The beginning of the body. */
  readonly body: string;

  constructor(status: number, body: string, message?: string) {
    super(message ?? `the server answered with HTTP status ${status}${body && `: ${body.slice(0, 200)}`}`);
    this.status = status;
    this.body = body;
  }
}

/** Whether the connection broke, so that the outcome of the request is unknown. */
export function isBroken(error: unknown): boolean {
  return error instanceof ConnectionError && !(error instanceof HttpError);
}

/** Whether the server could not be reached, as opposed to a server that refused the request. */
export function isOutOfReach(error: unknown): boolean {
  if (error instanceof HttpError) return error.status >= 500 || error.status === 429;
  if (error instanceof ConnectionError && error.cause instanceof HttpError) return isOutOfReach(error.cause);
  return error instanceof ConnectionError || error instanceof RequestTimeout;
}

/** Whether an HTTP status is about the request itself, not about access or the state of the server. */
export function isAboutRequest(status: number): boolean {
  return status >= 400 && status < 500 && ![401, 403, 407, 408, 421, 425, 429].includes(status);
}

/**
 * The server does not support a request: it did not declare the capability that the request needs, or the negotiated
 * revision does not have the request. Nothing was sent. Check `client.server.capabilities` before, or go on without.
 *
 * @example
 * try {
 *   await client.prompts();
 * } catch (error) {
 *   if (error instanceof NotSupported) console.error('this server has no prompts:', error.capability);
 * }
 */
export class NotSupported extends TenonError {
  override readonly name = 'NotSupported';
  override readonly kind = 'not-supported';
  /** The missing capability of the server, such as `resources.subscribe`; undefined if the revision is the reason. */
  readonly capability: string | undefined;

  constructor(message: string, capability?: string, options?: ErrorOptions) {
    super(message, options);
    this.capability = capability;
  }
}

/**
 * The server responded with something that the protocol does not allow: text that is not JSON, a malformed result,
 * structured content that does not match its schema, or more data than a client reads. Tell the server's author.
 *
 * @example
 * try {
 *   await client.callTool('reserve', { restaurant: 'Chez Nous' });
 * } catch (error) {
 *   if (error instanceof InvalidAnswer) console.error('this server is broken:', error.message);
 * }
 */
export class InvalidAnswer extends TenonError {
  override readonly name = 'InvalidAnswer';
  override readonly kind = 'invalid-answer';
}

/**
 * A server asks questions again and again without returning a result. Report it to the author of the server.
 *
 * @example
 * try {
 *   await client.callTool('interview');
 * } catch (error) {
 *   if (error instanceof TooManyRounds) console.error('this server does not stop asking');
 * }
 */
export class TooManyRounds extends TenonError {
  override readonly name = 'TooManyRounds';
  override readonly kind = 'too-many-rounds';
}
