import { TenonError } from '../base/errors.js';

/**
 * Ends a round: a handler asked a question that only the next request can answer. It is thrown where the question was
 * asked, so that `finally` blocks run, and it is the reason of the aborted signal. Let it pass: a `catch` around a
 * question must throw it again.
 *
 * @example
 * server.tool('reserve', {}, async (_, ctx) => {
 *   try {
 *     const party = await ctx.elicit('How many guests?', z.object({ guests: z.number() }));
 *     return party.action;
 *   } catch (error) {
 *     if (!(error instanceof RoundEnded)) console.error('the question failed', error);
 *     throw error;
 *   } finally {
 *     console.error('the round is over');
 *   }
 * });
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export class RoundEnded extends TenonError {
  override readonly name = 'RoundEnded';
  override readonly kind = 'round-ended';

  constructor() {
    super('the round ended with a question; the handler runs again, from the top, when the answer comes');
  }
}

/** The instance that is thrown. It is shared, because taking a stack trace costs more than a round. */
export const ROUND_ENDED = /* @__PURE__ */ new RoundEnded();

/** The methods that can have rounds: the author's handlers of these methods may ask questions. */
export const ROUND_METHODS: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);
