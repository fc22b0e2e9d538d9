import { copyPlain } from '../../base/copy-plain.js';
import type { Awaitable } from '../../base/settle.js';
import type { Result } from '../../protocol/call.js';
import type { InputRequiredResult, InputResponse } from '../../protocol/input.js';
import { isInputRequired } from '../../protocol/input-required.js';
import { checkMayAsk } from '../../protocol/may-ask.js';
import { MAX_ROUNDS, tooManyRounds } from '../../protocol/round-limit.js';
import type { LegacyCall } from './call.js';

/**
 * Serves a handler that asks by hand to a client whose revision has no rounds: asks the questions directly, and runs
 * the handler again with the answers until it returns a final result.
 */
export async function askAndRunAgain(
  call: LegacyCall,
  first: InputRequiredResult,
  handle: (call: LegacyCall) => Awaitable<Result>,
): Promise<Result> {
  checkMayAsk(call);
  const answers = new Map<string, InputResponse>();
  let asked = first;
  for (let round = 1; round < MAX_ROUNDS; round++) {
    const questions = Object.entries(asked.inputRequests ?? {});
    const responses = await Promise.all(
      questions.map(
        async ([name, request]): Promise<[string, InputResponse]> => [name, await call.askAgain(request)],
      ),
    );
    for (const [name, response] of responses) answers.set(name, response);
    // The handler gets a copy, so that it cannot change the answers.
    const shown = new Map(copyPlain([...answers]));
    const result = await handle(call.again(shown, asked.requestState));
    if (!isInputRequired(result)) return result;
    asked = result;
  }
  throw tooManyRounds();
}
