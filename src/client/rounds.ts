import { isObject, type JsonObject } from '../base/json.js';
import { InvalidAnswer, TooManyRounds } from '../protocol/failures.js';
import { type InputRequest, type InputResponse, readInputRequired } from '../protocol/input.js';
import { isInputRequired } from '../protocol/input-required.js';
import { ROUND_METHODS } from '../protocol/round.js';
import { MAX_ROUNDS } from '../protocol/round-limit.js';
import { MAX_QUESTIONS } from './limits.js';

/** How long to wait before a round without questions is repeated. */
const BACK_OFF_MS = 250;
const MAX_BACK_OFF_MS = 10_000;

/** A request that waits for answers. It is JSON: store it, and resume it in any process. */
export interface HeldRequest {
  method: string;
  params: JsonObject;
  /** Counted from 1. */
  round: number;
  questions: Record<string, InputRequest>;
  state?: string;
}

/** The outcome of a round: the result, or questions. */
export type RoundOutcome =
  | { result: JsonObject; held?: undefined }
  | { result?: undefined; held: HeldRequest };

/** Reads the outcome of a round. */
export function readRound(
  method: string,
  params: JsonObject,
  round: number,
  result: JsonObject,
): RoundOutcome {
  if (!isInputRequired(result)) return { result };
  if (!ROUND_METHODS.has(method)) throw new InvalidAnswer(`a result of ${method} cannot ask for input`);
  const { inputRequests, requestState } = result as { inputRequests?: unknown; requestState?: unknown };
  if (requestState !== undefined && typeof requestState !== 'string')
    throw new InvalidAnswer(`the requestState of ${method} must be a string`);
  const count = isObject(inputRequests) ? Object.keys(inputRequests).length : 0;
  if (count > MAX_QUESTIONS) throw new InvalidAnswer(`the result of ${method} asks ${count} things at once`);
  const asked = readInputRequired(result);
  const known = Object.keys(asked?.inputRequests ?? {}).length;
  if (!asked || known < count) {
    throw new InvalidAnswer(
      `the result of ${method} asks a question that is malformed or of an unknown kind`,
    );
  }
  if (round >= MAX_ROUNDS) throw new TooManyRounds(`${method} was not done after ${MAX_ROUNDS} rounds`);
  const { requestState: state } = asked;
  const held = { method, params, round, questions: asked.inputRequests ?? {} };
  return { held: state === undefined ? held : { ...held, state } };
}

/** The parameters of the next round: the same, with the answers and with the state exactly as the server sent it. */
export function nextParams(held: HeldRequest, answers: Readonly<Record<string, InputResponse>>): JsonObject {
  const { inputResponses: _answers, requestState: _state, ...params } = held.params;
  return {
    ...params,
    ...(Object.keys(held.questions).length > 0 && { inputResponses: answers }),
    ...(held.state !== undefined && { requestState: held.state }),
  };
}

/** How long to wait before the next round. A server that asks no questions wants the request to be repeated later. */
export function pauseBefore({ questions, round }: HeldRequest): number {
  if (Object.keys(questions).length > 0) return 0;
  return Math.random() * Math.min(BACK_OFF_MS * 2 ** (round - 1), MAX_BACK_OFF_MS);
}
