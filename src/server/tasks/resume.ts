import type { Result } from '../../protocol/call.js';
import type { InputResponse } from '../../protocol/input.js';
import type { MiddlewareCall } from '../middleware.js';
import { Journal } from '../rounds/journal.js';
import { type AskedByHand, NOT_BEGUN, type RunState } from './record.js';
import type { Outcome, TaskRun } from './run.js';

/** The beginning of our own states: a handler that asks by hand has states, too. */
const OWN_STATE = 'task:';

/** The state at the end of an earlier round of the same request, with the answers. It was sealed on its way. */
export function resume({ requestState, inputResponses = new Map() }: MiddlewareCall): RunState {
  if (requestState === undefined && inputResponses.size === 0) return NOT_BEGUN;
  if (!requestState?.startsWith(OWN_STATE)) {
    const answers = Object.fromEntries(inputResponses);
    return { ...NOT_BEGUN, byHand: { state: requestState, names: {}, answers } };
  }
  const { journal, passes, byHand } = JSON.parse(requestState.slice(OWN_STATE.length)) as RunState;
  const known = new Journal(journal);
  known.answer(inputResponses);
  const answered = byHand && withAnswers(byHand, inputResponses);
  return { ...NOT_BEGUN, journal: known.entries, passesBefore: passes, passes, byHand: answered };
}

function withAnswers(byHand: AskedByHand, responses: ReadonlyMap<string, InputResponse>): AskedByHand {
  const answers: Record<string, InputResponse> = { ...byHand.answers };
  for (const [key, name] of Object.entries(byHand.names)) {
    const response = responses.get(key);
    if (response) answers[name] = response;
  }
  return { ...byHand, answers };
}

/** The response to a request that did not become a task. */
export function answerWith(outcome: Outcome, run: TaskRun): Result {
  switch (outcome.kind) {
    case 'result':
      return outcome.result;
    case 'error':
      throw outcome.thrown;
    case 'stopped':
      throw run.signal.reason;
    case 'asked':
      return ask(outcome.questions, run.progress);
    case 'asked-by-hand': {
      const { inputRequests = {}, requestState } = outcome.asked;
      const names = Object.fromEntries(Object.keys(inputRequests).map(name => [name, name]));
      const answers = run.progress.byHand?.answers ?? {};
      return ask(inputRequests, { ...run.progress, byHand: { state: requestState, names, answers } });
    }
  }
}

function ask(inputRequests: object, { journal, passes, byHand }: RunState): Result {
  const state = OWN_STATE + JSON.stringify({ journal, passes, byHand });
  return { resultType: 'input_required', inputRequests, requestState: state };
}
