import { isCount } from '../base/json.js';
import { parseUrl } from '../base/url.js';
import { InvalidAnswer } from '../protocol/failures.js';
import { nestingProblem } from '../protocol/form.js';
import type {
  CreateMessageParams,
  ElicitFormParams,
  ElicitUrlParams,
  InputRequest,
} from '../protocol/input.js';
import { conversationProblem, isPageUrl } from '../protocol/question-problem.js';
import type { HeldRequest } from './rounds.js';

/** Why no handler could answer this question of a server; undefined if one can. */
export function askedProblem({ method, params }: InputRequest): string | undefined {
  if (method === 'sampling/createMessage') return samplingProblem(params);
  return method === 'elicitation/create' ? elicitationProblem(params) : undefined;
}

/** Throws if an author must not get one of these questions to answer by hand. */
export function checkHeld({ method, questions }: HeldRequest): void {
  for (const question of Object.values(questions)) {
    const problem = askedProblem(question);
    if (problem) throw new InvalidAnswer(`the result of ${method} asks what it must not ask: ${problem}`);
  }
}

function elicitationProblem(params: ElicitFormParams | ElicitUrlParams): string | undefined {
  if (typeof params.message !== 'string') return 'the question has no message';
  const { mode = 'form' } = params;
  if (mode !== 'url')
    return mode === 'form' ? formProblem(params as ElicitFormParams) : 'the question has an unknown mode';
  const url = parseUrl((params as ElicitUrlParams).url);
  return url && isPageUrl(url) ? undefined : 'the page has no URL that begins with https: or http:';
}

/** @see https://modelcontextprotocol.io/specification/2025-06-18/client/elicitation#request-schema */
function formProblem({ requestedSchema }: ElicitFormParams): string | undefined {
  const problem = nestingProblem(requestedSchema);
  return problem && `the form cannot be shown: ${problem}`;
}

/** @see https://modelcontextprotocol.io/specification/2025-11-25/client/sampling#error-handling */
function samplingProblem({ messages, maxTokens }: CreateMessageParams): string | undefined {
  const problem = isCount(maxTokens) ? conversationProblem(messages) : 'maxTokens must be a whole number';
  return problem && `the model cannot be asked: ${problem}`;
}
