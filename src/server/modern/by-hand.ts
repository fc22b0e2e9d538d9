import type { InputRequest, InputResponse } from '../../protocol/input.js';
import { type Entry, isOpen } from './journal.js';

/** The name of a question that was asked by hand, with its answer once there is one. It travels with the request. */
export type ByHand = readonly [name: string, answer?: InputResponse];

/**
 * All answers so far to what was asked by hand; undefined if nothing was. What comes for other questions is
 * ignored: nobody asked, or the journal did.
 */
export function answersTo(
  asked: readonly ByHand[] | undefined,
  responses: ReadonlyMap<string, InputResponse> | undefined,
  journal: readonly Entry[],
): ReadonlyMap<string, InputResponse> | undefined {
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
