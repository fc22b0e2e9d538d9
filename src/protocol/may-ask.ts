import { UsageError } from '../base/errors.js';
import { isObject } from '../base/json.js';
import { ERROR, McpError } from './errors.js';
import { readInputRequired } from './input.js';
import { isInputRequired } from './input-required.js';
import { questionProblem } from './question-problem.js';
import { ROUND_METHODS } from './round.js';

/** Throws if a method has no rounds: no answer would ever reach a handler of it. */
export function checkMayAsk({ method }: { readonly method: string }): void {
  if (ROUND_METHODS.has(method)) return;
  const cause = new UsageError(`method "${method}" asked the client, but only ${named()} have rounds`);
  const problem = `a handler of ${method} cannot ask: only ${named()} have rounds`;
  throw new McpError(ERROR.internal, problem, undefined, { cause });
}

/**
 * Throws if middleware made a result that asks, and nobody could answer it: the request would be repeated until its last
 * round. `below` is the result that the middleware was given, whose questions are checked already.
 */
export function checkAsked(who: string, method: string, returned: unknown, below: unknown): void {
  if (!isObject(returned) || !isInputRequired(returned)) return;
  const { inputRequests, requestState } = returned;
  if (
    isObject(below) &&
    isInputRequired(below) &&
    below.inputRequests === inputRequests &&
    below.requestState === requestState
  )
    return;
  const problem = askedProblem(method, returned);
  if (problem) throw new UsageError(`${who} returned a result of ${method} that asks, ${problem}`);
}

function askedProblem(method: string, returned: { readonly inputRequests?: unknown }): string | undefined {
  if (!ROUND_METHODS.has(method)) return `but only ${named()} have rounds`;
  const { inputRequests = {} } = returned;
  if (!isObject(inputRequests)) return 'but its inputRequests are not an object';
  for (const [name, request] of Object.entries(inputRequests)) {
    const problem = questionProblem(request);
    if (problem) return `but its question "${name}" is malformed: ${problem}`;
  }
  return readInputRequired(returned) ? undefined : 'but has no questions and no state: use inputRequired';
}

function named(): string {
  return [...ROUND_METHODS].join(', ');
}
