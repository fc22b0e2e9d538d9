import { UsageError } from '../../base/errors.js';
import { answerProblem } from '../../protocol/answer-problem.js';
import type { Call } from '../../protocol/call.js';
import { invalidAnswer } from '../../protocol/errors.js';
import type {
  ElicitResult,
  InputRequest,
  InputResponse,
  InputResponseTo,
  ListRootsResult,
} from '../../protocol/input.js';
import { compileSchema, type Infer, type Schema } from '../schema/schema.js';
import { rootsProblem } from './answer-content.js';
import { compileForm } from './form.js';
import type { Answer } from './questions.js';

/** Reads the answers to questions that a handler asked by returning `inputRequired`. */
export interface AnswerTo {
  /** The answer to a form, checked and typed by its schema. */
  <const S extends Schema>(name: string, schema: S): Promise<Answer<Infer<S>> | undefined>;
  /** The answer to any question, by its method. */
  <M extends InputRequest['method']>(name: string, method: M): Promise<InputResponseTo<M> | undefined>;
}

/** The answer to a question that a handler asked by hand. Throws `-32602` if it is invalid or does not fit. */
export async function readAnswer(
  call: Call,
  name: string,
  expected: Schema | InputRequest['method'],
): Promise<Answer<unknown> | InputResponse | undefined> {
  const response = call.inputResponses?.get(name);
  if (!response) return undefined;
  const isForm = typeof expected !== 'string';
  const problem = answerProblem(isForm ? 'elicitation/create' : expected, response);
  if (problem) throw invalidAnswer(problem);
  if (isForm) return readForm(name, response as ElicitResult, expected);
  const misfit = expected === 'roots/list' && rootsProblem(response as ListRootsResult);
  if (misfit) throw invalidAnswer(misfit);
  return response;
}

async function readForm(
  name: string,
  { action, content = {} }: ElicitResult,
  schema: Schema,
): Promise<Answer<unknown>> {
  if (action !== 'accept') return { action };
  const checked = await compileForm(schema).check(content);
  if ('problem' in checked) throw invalidAnswer(`the answer to "${name}" does not fit: ${checked.problem}`);
  return { action, content: checked.value };
}

/** The state that a handler returned by hand, as JSON. It was sealed, so only the handler itself can be wrong. */
export async function readState<S extends Schema>(call: Call, schema: S): Promise<Infer<S> | undefined> {
  if (call.requestState === undefined) return undefined;
  const { check } = compileSchema(schema, 'the state of a round', 'input', () => {});
  const checked = await check(parseState(call.requestState));
  if ('problem' in checked)
    throw new UsageError(`the state of this round does not fit its schema: ${checked.problem}`);
  return checked.value as Infer<S>;
}

function parseState(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UsageError('the state of this round is not JSON: read it from ctx.requestState', { cause });
  }
}
