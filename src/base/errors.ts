/** Every kind of error that this SDK throws, for programs to switch on. */
export type ErrorKind =
  | 'usage'
  | 'mcp'
  | 'tool'
  | 'round-ended'
  | 'cancelled'
  | 'timeout'
  | 'answer-timeout'
  | 'connection'
  | 'http'
  | 'cannot-connect'
  | 'invalid-answer'
  | 'too-many-rounds'
  | 'access'
  | 'access-unreachable'
  | 'sign-in-required'
  | 'invalid-token'
  | 'verifier-unavailable'
  | 'cannot-listen'
  | 'store-full';

/**
 * The base of everything that this SDK throws.
 *
 * @example
 * try {
 *   await client.callTool('reserve', { restaurant: 'Chez Nous' });
 * } catch (error) {
 *   if (error instanceof TenonError && error.kind === 'timeout') return 'The restaurant does not answer.';
 *   throw error;
 * }
 */
export abstract class TenonError extends Error {
  /** What went wrong, in one word that stays the same; the message is for people. */
  abstract readonly kind: ErrorKind;
}

/**
 * The SDK was used in a way that cannot work: an option that does not exist, a schema that cannot be read, a value
 * that JSON cannot carry. The message says what to change in the program; trying again does not help.
 *
 * @example
 * try {
 *   server.tool('', {}, () => 'hello');
 * } catch (error) {
 *   console.error((error as UsageError).message); // a tool needs a name
 * }
 */
export class UsageError extends TenonError {
  override readonly name = 'UsageError';
  override readonly kind = 'usage';
}

/**
 * Why a request was cancelled: the `reason` of `ctx.signal`, and what a handler that waits for it gets.
 *
 * @example
 * server.tool('wait', {}, async (_, ctx) => {
 *   ctx.signal.addEventListener('abort', () => console.error(ctx.signal.reason instanceof Cancelled));
 *   return 'done';
 * });
 */
export class Cancelled extends TenonError {
  override readonly name = 'Cancelled';
  override readonly kind = 'cancelled';
}
