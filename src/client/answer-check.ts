import { isObject, quoteBriefly } from '../base/json.js';
import { messageOf } from '../base/thrown.js';
import { parseUrl } from '../base/url.js';
import {
  answerProblem,
  type ElicitFormParams,
  type ElicitResult,
  type InputRequest,
  type InputResponse,
  type Root,
} from '../protocol/input.js';
import { compileUntrustedForm } from './forms.js';
import type { UntrustedSchema } from './untrusted-schema.js';

/** Why answers that the author gives by hand cannot be sent; undefined if they can. */
export async function answersProblem(
  questions: Readonly<Record<string, InputRequest>>,
  answers: Readonly<Record<string, InputResponse>>,
): Promise<string | undefined> {
  for (const [name, answer] of Object.entries(answers)) {
    const question = Object.hasOwn(questions, name) ? questions[name] : undefined;
    const problem = question && (shapeProblem(question, answer) ?? (await contentProblem(question, answer)));
    if (problem) return `the answer "${name}" cannot be sent: ${problem}`;
  }
  return undefined;
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

/** What an answer lacks; undefined if nothing. */
export function shapeProblem({ method }: InputRequest, answer: unknown): string | undefined {
  const isAnswer =
    isObject(answer) && answerProblem(method, answer as unknown as InputResponse) === undefined;
  switch (method) {
    case 'elicitation/create':
      return isAnswer ? undefined : 'it needs an `action`: accept, decline or cancel';
    case 'sampling/createMessage':
      return isAnswer ? undefined : 'it needs a `role`, `content` and a `model`';
    case 'roots/list':
      if (!isAnswer) return 'roots must be a list of objects with a `uri`';
      return rootsProblem((answer as unknown as { roots: Root[] }).roots);
  }
}

/**
 * Why roots cannot be sent; undefined if they can.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/client/roots#root
 */
function rootsProblem(roots: readonly Root[]): string | undefined {
  const wrong = roots.find(({ uri }) => parseUrl(uri)?.protocol !== 'file:' || climbs(uri));
  return wrong && `the root ${quoteBriefly(wrong.uri)} must be a file: URI without ".."`;
}

/** Whether a URI contains a step to the parent folder, also an encoded one. */
function climbs(uri: string): boolean {
  return /(^|[/\\])\.\.([/\\]|$)/.test(
    uri.replace(/%2e/gi, '.').replace(/%2f/gi, '/').replace(/%5c/gi, '\\'),
  );
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
