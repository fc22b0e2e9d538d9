import { UsageError } from '../../base/errors.js';
import { isObject, type JsonObject, quoteBriefly } from '../../base/json.js';
import { parseUrl } from '../../base/url.js';
import { answerProblem } from '../../protocol/answer-problem.js';
import type { AskOptions, Call } from '../../protocol/call.js';
import { type ClientCapabilities, mergeCapabilities } from '../../protocol/capabilities.js';
import { invalidAnswer, McpError } from '../../protocol/errors.js';
import {
  type CreateMessageParams,
  type CreateMessageResult,
  type ElicitResult,
  type InputRequest,
  type InputRequiredResult,
  type InputResponse,
  type InputResponseTo,
  type ListRootsResult,
  type Root,
  readInputRequired,
} from '../../protocol/input.js';
import { isPageUrl, questionProblem } from '../../protocol/question-problem.js';
import type { Infer, Schema } from '../schema/schema.js';
import { contentProblem, modelProblem, rootsProblem } from './answer-content.js';
import { compileForm } from './form.js';
import { warnOfSecrets } from './secret-fields.js';

/** The user's answer to a question; the content is there, checked and typed, if the user accepted. */
export type Answer<T> = { action: 'accept'; content: T } | { action: 'decline' | 'cancel' };

/** How often a form is shown in all, if the answers do not fit its schema. */
export const MAX_FORM_TRIES = 3;

/**
 * The questions that a handler returned by hand; undefined if it returned something else. Throws if a question is
 * malformed, or needs a capability that the client did not declare.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#server-requirements-basic-workflow
 */
export function readQuestions(call: Call, returned: JsonObject): InputRequiredResult | undefined {
  const { inputRequests } = returned;
  if (inputRequests !== undefined && !isObject(inputRequests)) return undefined;
  for (const [name, request] of Object.entries(inputRequests ?? {})) {
    const problem = questionProblem(request);
    if (problem)
      throw new UsageError(`the question "${name}" that was asked by hand is malformed: ${problem}`);
  }
  const result = readInputRequired(returned);
  const objections = Object.values(result?.inputRequests ?? {}).map(request => objectionTo(call, request));
  const objection = objections.find(found => found !== undefined);
  if (objection) throw objection;
  for (const request of Object.values(result?.inputRequests ?? {})) warnOfQuestion(call, request);
  return result;
}

/** Asks a question as it is, and once. The answer has the type of the question, and fits its form. */
export async function askAsIs<R extends InputRequest>(
  call: Call,
  request: R,
  options?: AskOptions,
): Promise<InputResponseTo<R['method']>> {
  const problem = questionProblem(request);
  if (problem) throw new UsageError(`the question is malformed: ${problem}`);
  checkMayAsk(call, request);
  warnOfQuestion(call, request);
  const answer = await ask<InputResponseTo<R['method']>>(call, request, options);
  const misfit = await contentProblem(request, answer);
  if (misfit) throw invalidAnswer(misfit);
  return answer;
}

/** Asks the user to fill in a form. */
export async function elicit<S extends Schema>(
  call: Call,
  message: string,
  schema: S,
  options?: AskOptions,
): Promise<Answer<Infer<S>>> {
  checkMessage(message);
  checkMayAsk(call, { method: 'elicitation/create', params: { mode: 'form', message, requestedSchema: {} } });
  const form = compileForm(schema);
  warnOfSecrets(call, form.json);
  let problem = '';
  for (let tries = 0; tries < MAX_FORM_TRIES; tries++) {
    const text = problem ? `${message}\n(The last answer did not fit: ${problem})` : message;
    const params = { mode: 'form' as const, message: text, requestedSchema: form.json };
    const answer = await ask<ElicitResult>(call, { method: 'elicitation/create', params }, options);
    if (answer.action !== 'accept') return { action: answer.action };
    const checked = await form.check(answer.content ?? {});
    if ('value' in checked) return { action: 'accept', content: checked.value as Infer<S> };
    problem = checked.problem;
  }
  throw invalidAnswer(`the client gave ${MAX_FORM_TRIES} answers that do not fit: ${problem}`);
}

/** Asks the user to visit a page, for data that must not pass through the client: secrets, payments, consent. */
export async function elicitUrl(
  call: Call,
  message: string,
  url: string,
  options: AskOptions & { elicitationId?: string } = {},
): Promise<{ action: ElicitResult['action'] }> {
  checkMessage(message);
  checkMayAsk(call, { method: 'elicitation/create', params: { mode: 'url', message, url } });
  const { elicitationId } = options;
  if (elicitationId !== undefined && typeof elicitationId !== 'string')
    throw new UsageError(`the elicitationId of a page must be a text, not ${quoteBriefly(elicitationId)}`);
  const params = {
    mode: 'url' as const,
    message,
    url: readUrl(url),
    ...(elicitationId !== undefined && { elicitationId }),
  };
  const { action } = await ask<ElicitResult>(call, { method: 'elicitation/create', params }, options);
  return { action };
}

/** Asks the client's model. */
export async function sample(
  call: Call,
  params: CreateMessageParams,
  options?: AskOptions,
): Promise<CreateMessageResult> {
  const request: InputRequest = { method: 'sampling/createMessage', params };
  const problem = questionProblem(request);
  if (problem) throw new UsageError(`the model cannot be asked: ${problem}`);
  checkMayAsk(call, request);
  const answer = await ask<CreateMessageResult>(call, request, options);
  const misfit = modelProblem(answer);
  if (misfit) throw invalidAnswer(misfit);
  return answer;
}

/** Asks for the folders that the client works in. */
export async function roots(call: Call, options?: AskOptions): Promise<Root[]> {
  checkMayAsk(call, { method: 'roots/list' });
  const answer = await ask<ListRootsResult>(call, { method: 'roots/list' }, options);
  const problem = rootsProblem(answer);
  if (problem) throw invalidAnswer(problem);
  return answer.roots;
}

function warnOfQuestion(call: Call, { method, params }: InputRequest): void {
  if (method === 'elicitation/create' && 'requestedSchema' in params)
    warnOfSecrets(call, params.requestedSchema);
}

function checkMessage(message: unknown): void {
  if (typeof message === 'string') return;
  throw new UsageError(
    `a question needs a text, not ${quoteBriefly(message)}: ctx.elicit("How many guests?", schema)`,
  );
}

function checkMayAsk(call: Call, request: InputRequest): void {
  const objection = objectionTo(call, request);
  if (objection) throw objection;
}

/** What the client lacks for the questions that a call asks in one turn of the event loop. */
const lacking = new WeakMap<Call, { requiredCapabilities: ClientCapabilities }>();

/**
 * The error for a question that this client must not be asked. The errors of one turn name the same capabilities, all
 * that are missing: a handler that asks several questions at once fails with only one of them.
 */
function objectionTo(call: Call, request: InputRequest): McpError | undefined {
  const objection = call.objectionTo(request);
  if (!objection) return undefined;
  const data = objection.data as { requiredCapabilities: ClientCapabilities };
  let all = lacking.get(call);
  if (!all) {
    all = { requiredCapabilities: {} };
    lacking.set(call, all);
    queueMicrotask(() => lacking.delete(call));
  }
  all.requiredCapabilities = mergeCapabilities(all.requiredCapabilities, data.requiredCapabilities);
  return new McpError(objection.code, objection.message, all, { reason: 'missing-capability' });
}

function ask<A extends InputResponse>(call: Call, request: InputRequest, options?: AskOptions): Promise<A> {
  return call.ask(request, options).then(answer => {
    const problem = answerProblem(request.method, answer);
    if (problem) throw invalidAnswer(problem);
    return answer as A;
  });
}

function readUrl(url: string): string {
  const parsed = parseUrl(url);
  if (parsed && isPageUrl(parsed)) return parsed.href;
  throw new UsageError(
    `the page to open must be a URL such as https://bistro.example/pay, not ${quoteBriefly(url)}`,
  );
}
