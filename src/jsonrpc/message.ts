import { clip } from '../base/clip.js';
import { isObject, type JsonObject, writeJson } from '../base/json.js';
import { type Awaitable, settle } from '../base/settle.js';
import { ERROR, McpError } from '../protocol/errors.js';
import { MAX_ID_LENGTH } from '../protocol/request-meta.js';
import { MAX_CONTAINERS, MAX_DEPTH, MAX_MESSAGES, MAX_NAMES } from './limits.js';
import { JsonExcess, type JsonLimits, parsePatiently } from './patient-json.js';

export type RequestId = string | number;

export interface Request {
  kind: 'request';
  id: RequestId;
  method: string;
  params: JsonObject;
  /** About how many bytes of memory it takes, as `parseText` estimates. */
  weight: number;
}

export interface Notification {
  kind: 'notification';
  method: string;
  params: JsonObject;
  weight: number;
}

export interface Response {
  kind: 'response';
  /** Undefined in an error about a message whose id could not be read. */
  id: RequestId | undefined;
  outcome: { result: JsonObject } | { error: { code: number; message: string; data?: unknown } };
  weight: number;
}

/** A JSON value that is not a message. `id` is set if the value was meant as a request and has an id. */
export interface Malformed {
  kind: 'malformed';
  id: RequestId | undefined;
  /** The id of the request that it was meant to answer: it has this id and no method. */
  answerTo?: RequestId | undefined;
  /** Whether it was meant as a notification, which must not be answered: it has a method and no id. */
  isNotification?: boolean;
  /** Not an `McpError`: servers may send any number of these, and taking a stack trace costs time. */
  error: { code: number; message: string };
}

export type Message = Request | Notification | Response;

/** Limits for messages of a server. */
const LIMITS: JsonLimits = { depth: MAX_DEPTH, containers: MAX_CONTAINERS, names: MAX_NAMES };

/**
 * Parses a text from a server into the values that may be messages; only one revision allows more than one. Parsing a
 * large text takes several turns of the event loop, and stops when `isGivenUp` returns true.
 */
export function parseMessages(text: string, isGivenUp?: () => boolean): Awaitable<readonly unknown[]> {
  return settle(() => parsePatiently(text, LIMITS, isGivenUp), listMessages, explainUnreadable);
}

/** Parses JSON that was made from a message of a server, in the same way. */
export function parseLarge(text: string): Awaitable<unknown> {
  return parsePatiently(text, LIMITS);
}

/**
 * Reads one parsed value as a message. After this, its form need not be checked again. A message that repeats a name is
 * malformed: others who read it may have taken another value for it.
 */
export function readMessage(value: unknown, weight = 0, repeatedName?: string): Message | Malformed {
  if (!isObject(value)) return malformed(undefined, 'a message must be a JSON object');
  const id = isRequestId(value.id) && repeatedName !== 'id' ? value.id : undefined;
  const isAnswer = value.method === undefined;
  const message =
    repeatedName !== undefined
      ? malformed(isAnswer ? undefined : id, describeRepetition(repeatedName))
      : isAnswer
        ? readWithoutMethod(value, id, weight)
        : readWithMethod(value, id, weight);
  return message.kind === 'malformed' ? withPurpose(message, value, id) : message;
}

export function describeRepetition(name: string): string {
  return `${JSON.stringify(clip(name))} appears twice in the same object; names must be unique`;
}

/** The text of a response with a result that is already serialized. */
export function resultText(id: RequestId, result: string): string {
  return `{"jsonrpc":"2.0","id":${idText(id)},"result":${result}}`;
}

/** The text of an error response; without an id if the request's id could not be read. */
export function errorText(
  id: RequestId | undefined,
  error: { code: number; message: string; data?: unknown },
): string {
  const { code, message, data } = error;
  return JSON.stringify({
    jsonrpc: '2.0',
    ...(id !== undefined && { id }),
    error: { code, message, ...(data !== undefined && { data }) },
  });
}

export function notificationText(method: string, params?: JsonObject): string {
  return writeJson({ jsonrpc: '2.0', method, params }, `the parameters of ${method}`);
}

export function requestText(id: RequestId, method: string, params?: JsonObject): string {
  return writeJson({ jsonrpc: '2.0', id, method, params }, `the parameters of ${method}`);
}

function listMessages(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) return [value];
  if (value.length <= MAX_MESSAGES) return value;
  throw new McpError(ERROR.invalidRequest, `it has more than ${MAX_MESSAGES} messages`);
}

function explainUnreadable(thrown: unknown): never {
  if (thrown instanceof JsonExcess) throw new McpError(ERROR.invalidRequest, thrown.message);
  if (!(thrown instanceof SyntaxError)) throw thrown;
  throw new McpError(ERROR.parse, 'the message is not valid JSON', undefined, { cause: thrown });
}

function idText(id: RequestId): string {
  return typeof id === 'number' ? String(id) : JSON.stringify(id);
}

/** Adds what a malformed message was meant to be. */
function withPurpose(message: Malformed, value: JsonObject, id: RequestId | undefined): Malformed {
  if (value.method === undefined) return { ...message, answerTo: id };
  const isNotification = typeof value.method === 'string' && value.id === undefined;
  return isNotification ? { ...message, isNotification } : message;
}

function readWithMethod(
  value: JsonObject,
  id: RequestId | undefined,
  weight: number,
): Request | Notification | Malformed {
  const { method } = value;
  if (value.jsonrpc !== '2.0') return malformed(id, 'jsonrpc must be "2.0"');
  if (typeof method !== 'string') return malformed(id, 'method must be a string');
  if (value.id !== undefined && id === undefined)
    return malformed(undefined, `id must be a string of at most ${MAX_ID_LENGTH} characters, or an integer`);
  const params = value.params ?? {};
  if (!isObject(params)) return malformed(id, 'params must be an object', ERROR.invalidParams);
  return id === undefined
    ? { kind: 'notification', method, params, weight }
    : { kind: 'request', id, method, params, weight };
}

function readWithoutMethod(
  value: JsonObject,
  id: RequestId | undefined,
  weight: number,
): Response | Malformed {
  const isResponse = value.result !== undefined || value.error !== undefined;
  return isResponse ? readResponse(value, weight) : readNeither(value, id);
}

/** The sender may have meant a request, so the error response repeats the id. */
function readNeither({ jsonrpc }: JsonObject, id: RequestId | undefined): Malformed {
  if (jsonrpc !== '2.0') return malformed(id, 'jsonrpc must be "2.0"');
  return malformed(id, 'a message needs a method, or a result or an error');
}

/** The id in a response was chosen by this side, so an error about a malformed response must not repeat it. */
function readResponse({ jsonrpc, id, result, error }: JsonObject, weight: number): Response | Malformed {
  if (jsonrpc !== '2.0') return malformed(undefined, 'jsonrpc must be "2.0"');
  if (error === undefined) {
    if (!isObject(result)) return malformed(undefined, 'result must be an object');
    if (!isRequestId(id)) return malformed(undefined, 'the id of a result must be a string or an integer');
    return { kind: 'response', id, outcome: { result }, weight };
  }
  if (result !== undefined) return malformed(undefined, 'a response has either a result or an error');
  if (!isObject(error) || !Number.isInteger(error.code))
    return malformed(undefined, 'error must have an integer code');
  const message = typeof error.message === 'string' ? error.message : '';
  const outcome = { error: { code: error.code as number, message, data: error.data } };
  return { kind: 'response', id: isRequestId(id) ? id : undefined, outcome, weight };
}

function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' ? value.length <= MAX_ID_LENGTH : Number.isSafeInteger(value);
}

function malformed(
  id: RequestId | undefined,
  message: string,
  code: number = ERROR.invalidRequest,
): Malformed {
  return { kind: 'malformed', id, error: { code, message } };
}
