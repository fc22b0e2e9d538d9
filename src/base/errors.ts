/** Every kind of error that this SDK throws. */
export const ERROR_KINDS = [
  'usage',
  'mcp',
  'tool',
  'round-ended',
  'cancelled',
  'timeout',
  'answer-timeout',
  'connection',
  'http',
  'cannot-connect',
  'not-supported',
  'invalid-answer',
  'too-many-rounds',
  'access',
  'access-unreachable',
  'sign-in-required',
  'invalid-token',
  'verifier-unavailable',
  'cannot-listen',
  'store-full',
  'skill-refused',
  'task-lost',
  'app-refused',
  'cluster-unavailable',
  'group-full',
] as const;

/** The kind of an error, for programs to switch on. `docs/errors.md` explains each. */
export type ErrorKind = (typeof ERROR_KINDS)[number];

/**
 * The base class of every error that this SDK throws. Errors of your own handlers and callbacks are passed on as is.
 *
 * @example
 * try {
 *   await client.callTool('reserve', { restaurant: 'Chez Nous' });
 * } catch (error) {
 *   if (!(error instanceof TenonError)) throw error;
 *   console.error(error.kind, error.message);
 * }
 */
export abstract class TenonError extends Error {
  /** The kind of the error, which stays the same; the message is for people. */
  abstract readonly kind: ErrorKind;
}

/**
 * The SDK was used in a way that cannot work: an option that does not exist, a schema that cannot be read, a value
 * that JSON cannot carry. Change the program as the message says; trying again does not help.
 *
 * @example
 * try {
 *   await listen(server, { port: 70_000 });
 * } catch (error) {
 *   if (error instanceof UsageError) console.error(error.message);
 * }
 */
export class UsageError extends TenonError {
  override readonly name = 'UsageError';
  override readonly kind = 'usage';
}

/**
 * The request is no longer needed. On a server it is the `reason` of `ctx.signal`: the client cancelled or
 * disconnected, or the server closes; stop the work. On a client it ends a request whose `signal` aborted, unless the
 * signal's reason is an error of your own, which is then thrown instead.
 *
 * @example
 * server.tool('bake', {}, async (_, ctx) => {
 *   ctx.signal.addEventListener('abort', () => {
 *     if (ctx.signal.reason instanceof Cancelled) console.error('stopped:', ctx.signal.reason.message);
 *   });
 *   return await oven.bake(ctx.signal);
 * });
 */
export class Cancelled extends TenonError {
  override readonly name = 'Cancelled';
  override readonly kind = 'cancelled';
}
