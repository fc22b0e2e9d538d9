import { isObject } from '../base/json.js';
import { isTextOrMedia } from './content.js';
import {
  blocksOf,
  type ElicitResult,
  type InputRequest,
  type InputResponse,
  type SamplingMessage,
} from './input.js';
import { isRoot } from './root.js';

/** Why a client's answer is not valid for a question of this method; undefined if it is. */
export function answerProblem(method: InputRequest['method'], answer: InputResponse): string | undefined {
  return isAnswer(method, answer)
    ? undefined
    : `the client's answer to ${method} is not a result of ${method}`;
}

function isAnswer(method: InputRequest['method'], answer: InputResponse): boolean {
  switch (method) {
    case 'elicitation/create':
      return 'action' in answer && ACTIONS.has(answer.action);
    case 'sampling/createMessage':
      return isSamplingResult(answer);
    case 'roots/list':
      return 'roots' in answer && Array.isArray(answer.roots) && answer.roots.every(isRoot);
  }
}

const ACTIONS: ReadonlySet<unknown> = new Set([
  'accept',
  'decline',
  'cancel',
] satisfies ElicitResult['action'][]);

function isSamplingResult(answer: object): boolean {
  const { model, role } = answer as Record<string, unknown>;
  const isMessage = typeof model === 'string' && (role === 'user' || role === 'assistant');
  return isMessage && blocksOf(answer as SamplingMessage).every(isSamplingBlock);
}

/** Whether a value is a block of a sampling message, of a known type and with the members of that type. */
export function isSamplingBlock(block: unknown): boolean {
  if (!isObject(block)) return false;
  switch (block.type) {
    case 'tool_use':
      return typeof block.id === 'string' && typeof block.name === 'string' && isObject(block.input);
    case 'tool_result':
      return typeof block.toolUseId === 'string' && Array.isArray(block.content);
    default:
      return isTextOrMedia(block);
  }
}
