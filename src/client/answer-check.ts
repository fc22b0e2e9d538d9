import { UsageError } from '../base/errors.js';
import { quoteBriefly } from '../base/json.js';
import { messageOf } from '../base/thrown.js';
import type { ElicitFormParams, ElicitResult, InputRequest, InputResponse } from '../protocol/input.js';
import { shapeProblem } from './answer-shape.js';
import { compileUntrustedForm } from './forms.js';
import { askedProblem } from './question-check.js';
import type { UntrustedSchema } from './untrusted-schema.js';

/** Answers that the author gives by hand, as they are sent. Throws if they cannot be sent. */
export async function checkAnswers(
  questions: Readonly<Record<string, InputRequest>>,
  answers: Readonly<Record<string, InputResponse>>,
): Promise<Record<string, InputResponse>> {
  const missing = namesIn(questions, answers);
  if (missing)
    throw new UsageError(`there is no answer to ${missing}; a user who does not want to answer declines`);
  const surplus = namesIn(answers, questions);
  if (surplus) throw new UsageError(`there is no question for the answer ${surplus}`);
  const sent = Object.entries(questions).map(async ([name, question]): Promise<[string, InputResponse]> => {
    const answer = answers[name] as InputResponse;
    const problem =
      askedProblem(question) ?? shapeProblem(question, answer) ?? (await contentProblem(question, answer));
    if (problem) throw new UsageError(`the answer "${name}" cannot be sent: ${problem}`);
    return [name, withoutNeedlessContent(question, answer)];
  });
  return Object.fromEntries(await Promise.all(sent));
}

/** Only a form that was filled in has content. */
export function withoutNeedlessContent(
  { method, params }: InputRequest,
  answer: InputResponse,
): InputResponse {
  if (method !== 'elicitation/create') return answer;
  const { content, ...rest } = answer as ElicitResult;
  return params.mode === 'url' || rest.action !== 'accept' ? rest : answer;
}

/** The names that are in one record and not in another one, quoted; undefined if there are none. */
function namesIn(one: object, other: object): string | undefined {
  const names = Object.keys(one).filter(name => !Object.hasOwn(other, name));
  return names.length > 0 ? names.map(quoteBriefly).join(', ') : undefined;
}

/** Why the content of an answer does not fit the form; undefined if it does, or if there is no form. */
export async function contentProblem(
  { method, params }: InputRequest,
  answer: InputResponse,
): Promise<string | undefined> {
  if (method !== 'elicitation/create' || params.mode === 'url') return undefined;
  const { action, content = {} } = answer as ElicitResult;
  if (action !== 'accept') return undefined;
  try {
    const problem = problemOf(await compileUntrustedForm(params.requestedSchema), content);
    return problem && misfit(params, problem);
  } catch (cause) {
    return `its form cannot be read: ${messageOf(cause)}`;
  }
}

/** The message about an answer that does not fit its form. */
export function misfit(form: ElicitFormParams, problem: string): string {
  return `the answer to ${quoteBriefly(form.message)} does not fit its form: ${problem}`;
}

/** Why a value does not fit the schema of a form; undefined if it does. */
export function problemOf(schema: UntrustedSchema, value: unknown): string | undefined {
  try {
    return schema.check(value)?.problem;
  } catch (cause) {
    return messageOf(cause);
  }
}
