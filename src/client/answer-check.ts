import { quoteBriefly } from '../base/json.js';
import { messageOf } from '../base/thrown.js';
import type { ElicitFormParams, ElicitResult, InputRequest, InputResponse } from '../protocol/input.js';
import { shapeProblem } from './answer-shape.js';
import { compileUntrustedForm } from './forms.js';
import type { UntrustedSchema } from './untrusted-schema.js';

/** Why answers that the author gives by hand cannot be sent; undefined if they can. */
export async function answersProblem(
  questions: Readonly<Record<string, InputRequest>>,
  answers: Readonly<Record<string, InputResponse>>,
): Promise<string | undefined> {
  const missing = namesIn(questions, answers);
  if (missing) return `there is no answer to ${missing}; a user who does not want to answer declines`;
  const surplus = namesIn(answers, questions);
  if (surplus) return `there is no question for the answer ${surplus}`;
  for (const [name, question] of Object.entries(questions)) {
    const answer = answers[name] as InputResponse;
    const problem = shapeProblem(question, answer) ?? (await contentProblem(question, answer));
    if (problem) return `the answer "${name}" cannot be sent: ${problem}`;
  }
  return undefined;
}

/** The names that are in one record and not in another one, quoted; undefined if there are none. */
function namesIn(one: object, other: object): string | undefined {
  const names = Object.keys(one).filter(name => !Object.hasOwn(other, name));
  return names.length > 0 ? names.map(quoteBriefly).join(', ') : undefined;
}

async function contentProblem(
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
