import { isObject, type JsonObject, quoteBriefly } from '../base/json.js';
import { annotationsProblem } from '../protocol/annotations.js';
import { answerProblem } from '../protocol/answer-problem.js';
import {
  blocksOf,
  type CreateMessageParams,
  type CreateMessageResult,
  type InputRequest,
  type InputResponse,
} from '../protocol/input.js';
import { blockProblem } from '../protocol/question-problem.js';
import { rootsProblem } from './roots.js';

/** What an answer lacks; undefined if nothing. */
export function shapeProblem({ method, params }: InputRequest, answer: unknown): string | undefined {
  const isAnswer =
    isObject(answer) && answerProblem(method, answer as unknown as InputResponse) === undefined;
  switch (method) {
    case 'elicitation/create':
      if (!isAnswer) return 'it needs an `action`: accept, decline or cancel';
      return contentProblem(answer);
    case 'sampling/createMessage':
      return isAnswer
        ? samplingProblem(params, answer as unknown as CreateMessageResult)
        : 'it needs a `role`, a `model`, and `content` of complete blocks';
    case 'roots/list':
      return rootsProblem(isObject(answer) ? answer.roots : undefined);
  }
}

/**
 * What is wrong with a model's answer of the right shape; undefined if nothing.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/schema#createmessageresult
 */
function samplingProblem({ tools }: CreateMessageParams, answer: CreateMessageResult): string | undefined {
  const { stopReason, _meta } = answer;
  const blocks = blocksOf(answer);
  if (stopReason !== undefined && typeof stopReason !== 'string') return 'its `stopReason` must be a text';
  if (_meta !== undefined && !isObject(_meta)) return 'its `_meta` must be an object';
  if (blocks.some(({ type }) => type === 'tool_result'))
    return 'a model uses tools, but gives no tool results';
  const mayUseTools = Array.isArray(tools) && tools.length > 0;
  if (!mayUseTools && blocks.some(({ type }) => type === 'tool_use'))
    return 'it uses a tool, but the server offers none';
  const annotated = blocks.map(block =>
    'annotations' in block ? annotationsProblem(block.annotations) : undefined,
  );
  const wrong = annotated.find(problem => problem !== undefined);
  return wrong === undefined ? blockProblem([answer]) : `it has a block ${wrong}`;
}

/**
 * What is wrong with the content of an answer to a form; undefined if nothing.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/schema#elicitresult-content
 */
function contentProblem({ content }: JsonObject): string | undefined {
  if (content === undefined) return undefined;
  if (!isObject(content)) return 'its `content` must be an object';
  const nested = Object.keys(content).find(name => !isFieldValue(content[name]));
  return nested === undefined
    ? undefined
    : `its field ${quoteBriefly(nested)} must be a string, a number, a boolean, or a list of strings`;
}

/** Whether a value can be the answer to a field of a form. */
export function isFieldValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(item => typeof item === 'string');
  return ['string', 'number', 'boolean', 'undefined'].includes(typeof value);
}
