import { UsageError } from '../base/errors.js';
import { isObject, type JsonObject } from '../base/json.js';
import { type Awaitable, settle } from '../base/settle.js';
import { ERROR, McpError } from '../protocol/errors.js';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  endOfString,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './characters.js';
import { JsonExcess, type JsonLimits, parsePatiently } from './patient-json.js';

export type RequestId = string | number;

export interface Request {
  kind: 'request';
  id: RequestId;
  method: string;
  params: JsonObject;
  /** About how many bytes of memory it takes, as `weigh` estimates. */
  weight: number;
}

export interface Notification {
  kind: 'notification';
  method: string;
  params: JsonObject;
}

export interface Response {
  kind: 'response';
  /** Undefined in an error about a message whose id could not be read. */
  id: RequestId | undefined;
  outcome: { result: JsonObject } | { error: { code: number; message: string; data?: unknown } };
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

/** How deep the arrays and objects of a message may be nested. */
export const MAX_DEPTH = 256;
/** How many arrays and objects a message may have: about 50 ms of work for the parser, whatever its size. */
const MAX_CONTAINERS = 250_000;
/**
 * How many parts a message of a client may have: wherever they stand, a server then needs little more time for them
 * than the parser. Sorting names takes the longest.
 */
const MAX_SENT_NAMES = 20_000;
const MAX_SENT_CONTAINERS = 50_000;
const MAX_SENT_VALUES = 250_000;
/** Upper estimates of what V8 takes for an array or object, for a name with its value, and for a value in a list. */
const CONTAINER_BYTES = 48;
const NAME_BYTES = 64;
const VALUE_BYTES = 12;
/** What the server keeps for a message beside its content. */
const MESSAGE_BYTES = 4096;
/** What a character of a short text takes, whatever it is. */
const SHORT_TEXT_FACTOR = 8;
/** Limits for messages of a server. */
const LIMITS: JsonLimits = { depth: MAX_DEPTH, containers: MAX_CONTAINERS, names: 50_000 };
/** How many messages a server may send in one batch. */
const MAX_MESSAGES = 1000;

/**
 * Parses the text of a message or of a batch. Throws `-32700` for text that is not JSON, and `-32600` for a value that
 * is nested too deep to be walked recursively, or has too many parts.
 */
export function parseJson(text: string): unknown {
  weigh(text);
  return parseWeighed(text);
}

/**
 * Estimates the memory that a text takes when it is parsed, which may be twenty times its length. Throws `-32600` for a
 * text that is nested too deep, or has too many parts.
 */
export function weigh(text: string): number {
  // A text of n characters opens at most n/2 levels, so short texts need no closer look.
  if (text.length <= MAX_DEPTH * 2) return MESSAGE_BYTES + text.length * SHORT_TEXT_FACTOR;
  const weight = scan(text);
  if (typeof weight === 'string') throw new McpError(ERROR.invalidRequest, weight);
  return weight;
}

/** Parses a text that was weighed. Throws `-32700` if it is not JSON. */
export function parseWeighed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new McpError(ERROR.parse, 'the message is not valid JSON', undefined, { cause });
  }
}

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

/** Reads one parsed value as a message. After this, its form need not be checked again. */
export function readMessage(value: unknown, weight = 0): Message | Malformed {
  if (!isObject(value)) return malformed(undefined, 'a message must be a JSON object');
  const { method } = value;
  const id = isRequestId(value.id) ? value.id : undefined;
  if (method === undefined) return readWithoutMethod(value, id);
  const message = readWithMethod(value, method, id, weight);
  const isNotification = message.kind === 'malformed' && typeof method === 'string' && value.id === undefined;
  return isNotification ? { ...message, isNotification } : message;
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
  return toText(method, params ? { jsonrpc: '2.0', method, params } : { jsonrpc: '2.0', method });
}

export function requestText(id: RequestId, method: string, params?: JsonObject): string {
  return toText(method, params ? { jsonrpc: '2.0', id, method, params } : { jsonrpc: '2.0', id, method });
}

/** The text of a message with the author's parameters, which JSON may not be able to carry. */
function toText(method: string, message: object): string {
  try {
    return JSON.stringify(message);
  } catch (cause) {
    const [why] = (cause as Error).message.split('\n');
    throw new UsageError(`the parameters of ${method} cannot be written as JSON: ${why}`, { cause });
  }
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

function readWithMethod(
  value: JsonObject,
  method: unknown,
  id: RequestId | undefined,
  weight: number,
): Request | Notification | Malformed {
  if (value.jsonrpc !== '2.0') return malformed(id, 'jsonrpc must be "2.0"');
  if (typeof method !== 'string') return malformed(id, 'method must be a string');
  if (value.id !== undefined && id === undefined)
    return malformed(undefined, 'id must be a string or an integer');
  const params = value.params ?? {};
  if (!isObject(params)) return malformed(id, 'params must be an object', ERROR.invalidParams);
  return id === undefined
    ? { kind: 'notification', method, params }
    : { kind: 'request', id, method, params, weight };
}

function readWithoutMethod(value: JsonObject, id: RequestId | undefined): Response | Malformed {
  const isResponse = value.result !== undefined || value.error !== undefined;
  const message = isResponse ? readResponse(value) : readNeither(value, id);
  return message.kind === 'malformed' ? { ...message, answerTo: id } : message;
}

/** The sender may have meant a request, so the error response repeats the id. */
function readNeither({ jsonrpc }: JsonObject, id: RequestId | undefined): Malformed {
  if (jsonrpc !== '2.0') return malformed(id, 'jsonrpc must be "2.0"');
  return malformed(id, 'a message needs a method, or a result or an error');
}

/** The id in a response was chosen by this side, so an error about a malformed response must not repeat it. */
function readResponse({ jsonrpc, id, result, error }: JsonObject): Response | Malformed {
  if (jsonrpc !== '2.0') return malformed(undefined, 'jsonrpc must be "2.0"');
  if (error === undefined) {
    if (!isObject(result)) return malformed(undefined, 'result must be an object');
    if (!isRequestId(id)) return malformed(undefined, 'the id of a result must be a string or an integer');
    return { kind: 'response', id, outcome: { result } };
  }
  if (result !== undefined) return malformed(undefined, 'a response has either a result or an error');
  if (!isObject(error) || !Number.isInteger(error.code))
    return malformed(undefined, 'error must have an integer code');
  const message = typeof error.message === 'string' ? error.message : '';
  const outcome = { error: { code: error.code as number, message, data: error.data } };
  return { kind: 'response', id: isRequestId(id) ? id : undefined, outcome };
}

function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

function malformed(
  id: RequestId | undefined,
  message: string,
  code: number = ERROR.invalidRequest,
): Malformed {
  return { kind: 'malformed', id, error: { code, message } };
}

/** The memory that a text takes when it is parsed; a string says which limit it exceeds. */
function scan(text: string): number | string {
  let depth = 0;
  let containers = 0;
  let names = 0;
  let commas = 0;
  // An unterminated string is left to the parser, which reports it.
  for (let at = 0; at >= 0 && at < text.length; ) {
    switch (text.charCodeAt(at++)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case COMMA:
        commas++;
        break;
      case COLON:
        names++;
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        containers++;
        if (++depth > MAX_DEPTH) return `the message is nested deeper than ${MAX_DEPTH} levels`;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth--;
        break;
    }
  }
  const excess = exceeds(containers, names, commas);
  if (excess) return excess;
  const parts = containers * CONTAINER_BYTES + names * NAME_BYTES + commas * VALUE_BYTES;
  return MESSAGE_BYTES + text.length + parts;
}

function exceeds(containers: number, names: number, commas: number): string | undefined {
  if (names > MAX_SENT_NAMES) return `the message has more than ${MAX_SENT_NAMES} members of objects`;
  if (containers > MAX_SENT_CONTAINERS)
    return `the message has more than ${MAX_SENT_CONTAINERS} arrays and objects`;
  if (commas > MAX_SENT_VALUES) return `the message has more than ${MAX_SENT_VALUES} values`;
  return undefined;
}
