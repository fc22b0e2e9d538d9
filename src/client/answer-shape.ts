import { isObject, type JsonObject, quoteBriefly } from '../base/json.js';
import { answerProblem } from '../protocol/answer-problem.js';
import type { InputRequest, InputResponse } from '../protocol/input.js';
import { rootsProblem } from './roots.js';

/** What an answer lacks; undefined if nothing. */
export function shapeProblem({ method }: InputRequest, answer: unknown): string | undefined {
  const isAnswer =
    isObject(answer) && answerProblem(method, answer as unknown as InputResponse) === undefined;
  switch (method) {
    case 'elicitation/create':
      if (!isAnswer) return 'it needs an `action`: accept, decline or cancel';
      return contentProblem(answer);
    case 'sampling/createMessage':
      return isAnswer ? undefined : 'it needs a `role`, `content` and a `model`';
    case 'roots/list':
      return rootsProblem(isObject(answer) ? answer.roots : undefined);
  }
}

/**
 * What is wrong with the content of an answer to a form; undefined if nothing.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/schema#elicitresult-content
 */
function contentProblem({ content }: JsonObject): string | undefined {
  if (content === undefined) return undefined;
  if (!isObject(content)) return 'its `content` must be an object';
  const nested = Object.keys(content).find(name => !isFlat(content[name]));
  return nested === undefined
    ? undefined
    : `its field ${quoteBriefly(nested)} must be a string, a number, a boolean, or a list of strings`;
}

function isFlat(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(item => typeof item === 'string');
  return ['string', 'number', 'boolean', 'undefined'].includes(typeof value);
}
