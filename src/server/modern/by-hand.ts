import { type Awaitable, andThen } from '../../base/settle.js';
import type { Result } from '../../protocol/call.js';
import {
  type InputRequest,
  type InputRequiredResult,
  type InputResponse,
  inputRequired,
} from '../../protocol/input.js';
import type { Revision } from '../../revisions/index.js';
import { encodeQuestion } from '../../revisions/questions.js';
import { isOpen } from './journal.js';
import type { RoundState } from './round-state.js';

/** The name of a question that was asked by hand, with its answer once there is one. It travels with the request. */
export type ByHand = readonly [name: string, answer?: InputResponse];

/** The call of a handler that asks by hand. */
interface AskingCall {
  readonly spoken: Revision;
  readonly answersByHand: ReadonlyMap<string, InputResponse> | undefined;
  stopSteps(): Promise<void> | undefined;
}

/** The result that asks what a handler asks by hand. Its state is sealed by `seal`, like ours. */
export function askByHand(
  call: AskingCall,
  { inputRequests, requestState }: InputRequiredResult,
  seal: (own: string | undefined, asked: readonly ByHand[]) => Awaitable<string>,
): Awaitable<Result> {
  const requests = inputRequests && encodeQuestions(call.spoken, inputRequests);
  const asked = askedByHand(call.answersByHand, inputRequests);
  const sealed = andThen(call.stopSteps(), () => seal(requestState, asked));
  return andThen(sealed, state => inputRequired({ ...(requests && { requests }), state }));
}

/**
 * All answers so far to what was asked by hand; undefined if nothing was. What comes for other questions is
 * ignored: nobody asked, or the journal did. Without a sealed state, everything counts that came.
 */
export function answersByHand(
  { id, asked, journal }: RoundState,
  responses: ReadonlyMap<string, InputResponse> | undefined,
): ReadonlyMap<string, InputResponse> | undefined {
  if (id === undefined) return responses;
  if (!asked) return undefined;
  const answers = new Map<string, InputResponse>();
  for (const [name, earlier] of asked) {
    const answer = earlier ?? (isOpen(journal, name) ? undefined : responses?.get(name));
    if (answer !== undefined) answers.set(name, answer);
  }
  return responses || answers.size > 0 ? answers : undefined;
}

/** What the next round has to know: the answers so far, and what is asked now, which has none any more. */
export function askedByHand(
  answers: ReadonlyMap<string, InputResponse> | undefined,
  requests: Record<string, InputRequest> = {},
): readonly ByHand[] {
  const kept = [...(answers ?? [])].filter(([name]) => !Object.hasOwn(requests, name));
  return [...kept, ...Object.keys(requests).map((name): ByHand => [name])];
}

function encodeQuestions(
  revision: Revision,
  requests: Record<string, InputRequest>,
): Record<string, InputRequest> {
  const encoded = Object.entries(requests).map(([name, request]) => [
    name,
    encodeQuestion(revision, request),
  ]);
  return Object.fromEntries(encoded);
}
