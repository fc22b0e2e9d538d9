import { copyPlain } from '../../base/copy-plain.js';
import { type Awaitable, andThen } from '../../base/settle.js';
import type { Result } from '../../protocol/call.js';
import type { InputRequest, InputRequiredResult, InputResponse } from '../../protocol/input.js';
import type { Agreement } from '../../revisions/agreement.js';
import { encodeQuestion } from '../../revisions/questions.js';
import { isOpen } from '../rounds/journal.js';
import type { RoundState } from './round-state.js';

/** The name of a question that was asked by hand, with its answer if there is one. It is part of the sealed state. */
export type ByHand = readonly [name: string, answer?: InputResponse];

/** The answers to questions that a handler asked by hand. */
export class AnswersByHand {
  /** As they came. */
  readonly given: ReadonlyMap<string, InputResponse>;
  #copy: ReadonlyMap<string, InputResponse> | undefined;

  constructor(given: ReadonlyMap<string, InputResponse>) {
    this.given = given;
  }

  /** For the handler, which may change it. */
  get copy(): ReadonlyMap<string, InputResponse> {
    this.#copy ??= new Map(copyPlain([...this.given]));
    return this.#copy;
  }
}

/** The call of a handler that asks by hand. */
interface AskingCall {
  readonly agreement: Agreement;
  readonly answersByHand: ReadonlyMap<string, InputResponse> | undefined;
  stopSteps(): Promise<void> | undefined;
}

/** The result with the questions that a handler asks by hand. The handler's state is sealed like our own. */
export function askByHand(
  call: AskingCall,
  { inputRequests, requestState }: InputRequiredResult,
  seal: (own: string | undefined, asked: readonly ByHand[]) => Awaitable<string>,
): Awaitable<Result> {
  const encoded = inputRequests && { inputRequests: encodeQuestions(call.agreement, inputRequests) };
  const asked = askedByHand(call.answersByHand, inputRequests);
  const sealed = andThen(call.stopSteps(), () => seal(requestState, asked));
  return andThen(sealed, state => ({ resultType: 'input_required', ...encoded, requestState: state }));
}

/**
 * All answers so far to questions asked by hand; undefined if there were no questions. Other responses are ignored:
 * their questions were not asked, or belong to the journal. Without a sealed state, all responses count.
 */
export function answersByHand(
  { id, asked, journal }: RoundState,
  responses: ReadonlyMap<string, InputResponse> | undefined,
): AnswersByHand | undefined {
  if (id === undefined) return responses && new AnswersByHand(responses);
  if (!asked) return undefined;
  const answers = new Map<string, InputResponse>();
  for (const [name, earlier] of asked) {
    const answer = earlier ?? (isOpen(journal, name) ? undefined : responses?.get(name));
    if (answer !== undefined) answers.set(name, answer);
  }
  return responses || answers.size > 0 ? new AnswersByHand(answers) : undefined;
}

/** The part of the next round's state: the answers so far, and the new questions, which have no answer yet. */
export function askedByHand(
  answers: ReadonlyMap<string, InputResponse> | undefined,
  requests: Record<string, InputRequest> = {},
): readonly ByHand[] {
  const kept = [...(answers ?? [])].filter(([name]) => !Object.hasOwn(requests, name));
  return [...kept, ...Object.keys(requests).map((name): ByHand => [name])];
}

function encodeQuestions(
  agreement: Agreement,
  requests: Record<string, InputRequest>,
): Record<string, InputRequest> {
  const encoded = Object.entries(requests).map(([name, request]) => [
    name,
    encodeQuestion(agreement, request),
  ]);
  return Object.fromEntries(encoded);
}
