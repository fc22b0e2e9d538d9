import type { JsonSchema } from '../../base/json.js';
import type { Awaitable } from '../../base/settle.js';
import type {
  CreateMessageResult,
  ElicitResult,
  InputRequest,
  InputResponse,
  ListRootsResult,
} from '../../protocol/input.js';
import { blockProblem } from '../../protocol/question-problem.js';
import { compileForm } from './form.js';

/** Why the content of an answer cannot be used, though it has the type of its question; undefined if it can. */
export function contentProblem(request: InputRequest, answer: InputResponse): Awaitable<string | undefined> {
  if (request.method === 'roots/list') return rootsProblem(answer as ListRootsResult);
  if (request.method === 'sampling/createMessage') return modelProblem(answer as CreateMessageResult);
  if (request.method !== 'elicitation/create' || request.params.mode === 'url') return undefined;
  return formProblem(request.params.requestedSchema, answer as ElicitResult);
}

/** @see https://modelcontextprotocol.io/specification/2026-07-28/client/roots#root */
export function rootsProblem({ roots }: ListRootsResult): string | undefined {
  return roots.every(({ uri }) => /^file:\/\//i.test(uri))
    ? undefined
    : "the client's answer to roots/list has a root that is not a file:// URI";
}

/** Handlers pass pictures and sound on, so their data has to be what it claims to be. */
export function modelProblem(answer: CreateMessageResult): string | undefined {
  const problem = blockProblem([answer]);
  return problem && `the client's answer to sampling/createMessage is invalid: ${problem}`;
}

async function formProblem(
  schema: JsonSchema,
  { action, content = {} }: ElicitResult,
): Promise<string | undefined> {
  if (action !== 'accept') return undefined;
  const checked = await compileForm(schema).check(content);
  return 'problem' in checked ? `the client's answer does not fit its form: ${checked.problem}` : undefined;
}
