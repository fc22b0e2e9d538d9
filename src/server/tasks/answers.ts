import { answerProblem } from '../../protocol/answer-problem.js';
import { invalidParams } from '../../protocol/errors.js';
import type { InputResponse } from '../../protocol/input.js';
import { Journal } from '../rounds/journal.js';
import { type TaskRecord, withRun, withState } from './record.js';
import { disguiseProblem, errorIn, Refusal } from './refusal.js';

/** Answers by the keys of their questions. */
export type Answers = ReadonlyMap<string, InputResponse | Refusal>;

/** The record with answers to open questions; undefined if there are none among them. Throws if one is malformed. */
export function withAnswers(record: TaskRecord, responses: Answers): TaskRecord | undefined {
  const { state, run } = record;
  const open = Object.entries(state.questions ?? {});
  const answered = open.filter(([key]) => responses.has(key));
  if (state.status !== 'input_required' || answered.length === 0) return undefined;
  const answers = { ...run.byHand?.answers };
  for (const [key, question] of answered) {
    const response = responses.get(key) as InputResponse | Refusal;
    if (response instanceof Refusal) continue;
    const problem = answerProblem(question.method, response) ?? disguiseProblem(response);
    if (problem) throw invalidParams(`the answer "${key}" cannot be used: ${problem}`);
    const name = run.byHand?.names[key];
    if (name !== undefined) answers[name] = response;
  }
  const journal = new Journal(structuredClone(run.journal));
  journal.answer(responses as ReadonlyMap<string, InputResponse>);
  const left = open.filter(([key]) => !responses.has(key));
  const byHand = run.byHand && { ...run.byHand, answers };
  const next = withRun(record, { journal: journal.entries, byHand });
  if (left.length > 0) return withState(next, { questions: Object.fromEntries(left) });
  return withState(next, { status: 'working', questions: undefined, message: undefined });
}

/** The error with which a client answered a question that the handler returned by hand: nothing but the task can fail. */
export function refusalByHand({ state, run }: TaskRecord, responses: Answers): Error | undefined {
  for (const key of Object.keys(state.questions ?? {})) {
    const response = responses.get(key);
    if (response instanceof Refusal && run.byHand?.names[key] !== undefined) return errorIn(response);
  }
  return undefined;
}
