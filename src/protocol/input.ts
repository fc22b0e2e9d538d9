import { isObject, type JsonObject, type JsonSchema } from '../base/json.js';
import type { AudioContent, ContentBlock, ImageContent, Role, TextContent } from './content.js';
import { invalidParams } from './errors.js';
import type { Tool } from './tools.js';

/** A form for the user: a flat object of scalars and enums. */
export interface ElicitFormParams {
  mode?: 'form';
  message: string;
  requestedSchema: JsonSchema;
}

/** A page that the user is asked to visit; the data entered there never passes through the client. */
export interface ElicitUrlParams {
  mode: 'url';
  message: string;
  url: string;
  /** 2025-11-25 only; later revisions have none. */
  elicitationId?: string;
}

/** The user's response to a form or a page. */
export interface ElicitResult {
  action: 'accept' | 'decline' | 'cancel';
  content?: Record<string, string | number | boolean | string[]>;
}

/** A model's request to use a tool, in sampling. */
export interface ToolUseContent {
  type: 'tool_use';
  id: string;
  name: string;
  input: JsonObject;
  _meta?: JsonObject;
}

/** The result of a tool that a model used, in sampling. */
export interface ToolResultContent {
  type: 'tool_result';
  toolUseId: string;
  content: ContentBlock[];
  structuredContent?: unknown;
  isError?: boolean;
  _meta?: JsonObject;
}

/** A block of a message to or from a client's model. */
export type SamplingContent = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent;

/** A message to or from a client's model. */
export interface SamplingMessage {
  role: Role;
  content: SamplingContent | SamplingContent[];
  _meta?: JsonObject;
}

/**
 * A request to a client's model.
 * @deprecated by the specification since 2026-07-28; it works, but call a model provider directly in new code.
 */
export interface CreateMessageParams {
  messages: SamplingMessage[];
  maxTokens: number;
  modelPreferences?: {
    hints?: { name?: string }[];
    costPriority?: number;
    speedPriority?: number;
    intelligencePriority?: number;
  };
  systemPrompt?: string;
  includeContext?: 'none' | 'thisServer' | 'allServers';
  temperature?: number;
  stopSequences?: string[];
  metadata?: JsonObject;
  tools?: Tool[];
  toolChoice?: { mode?: 'auto' | 'required' | 'none' };
}

/** The response of a client's model. */
export interface CreateMessageResult extends SamplingMessage {
  model: string;
  stopReason?: string;
}

/** A folder or file of a client that a server may work in. */
export interface Root {
  uri: string;
  name?: string;
  _meta?: JsonObject;
}

/** The answer to `roots/list`. */
export interface ListRootsResult {
  roots: Root[];
}

/** One question to the client. */
export type InputRequest =
  | { method: 'elicitation/create'; params: ElicitFormParams | ElicitUrlParams }
  | { method: 'sampling/createMessage'; params: CreateMessageParams }
  | { method: 'roots/list'; params?: { _meta?: JsonObject } };

/** The client's answer to one question, without an envelope. */
export type InputResponse = ElicitResult | CreateMessageResult | ListRootsResult;

/** The type of the client's answer to a question of this method. */
export type InputResponseTo<M extends InputRequest['method']> = M extends 'elicitation/create'
  ? ElicitResult
  : M extends 'sampling/createMessage'
    ? CreateMessageResult
    : ListRootsResult;

const INPUT_METHODS: ReadonlySet<string> = new Set([
  'elicitation/create',
  'sampling/createMessage',
  'roots/list',
] satisfies InputRequest['method'][]);

/**
 * The result that asks the client for input and to repeat the request.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#inputrequiredresult
 */
export interface InputRequiredResult {
  resultType: 'input_required';
  inputRequests?: Record<string, InputRequest>;
  requestState?: string;
  _meta?: JsonObject;
}

/**
 * Reads an input-required result; undefined if the value is something else or lacks both fields.
 *
 * @example
 * const asked = readInputRequired(response.result);
 * if (asked) console.log(fromInputRequests(asked.inputRequests));
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr#inputrequiredresult
 */
export function readInputRequired(result: unknown): InputRequiredResult | undefined {
  if (!isObject(result) || result.resultType !== 'input_required') return undefined;
  const state = typeof result.requestState === 'string' ? result.requestState : undefined;
  const requests = isObject(result.inputRequests) ? fromInputRequests(result.inputRequests) : undefined;
  if (requests === undefined && state === undefined) return undefined;
  return {
    resultType: 'input_required',
    ...(requests && { inputRequests: toInputRequests(requests) }),
    ...(state !== undefined && { requestState: state }),
  };
}

/**
 * Turns a list of questions into the map that is sent. Safe for names such as `__proto__`.
 *
 * @example
 * toInputRequests([{ id: 'where', method: 'roots/list' }]); // { where: { method: 'roots/list' } }
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export function toInputRequests(
  list: readonly ({ id: string } & InputRequest)[],
): Record<string, InputRequest> {
  return toMap(list.map(({ id, ...request }) => [id, request as InputRequest]));
}

/**
 * Turns a received map of questions into a list. Entries that are not one of the three requests are left out.
 *
 * @example
 * fromInputRequests({ where: { method: 'roots/list' } }); // [{ method: 'roots/list', id: 'where' }]
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export function fromInputRequests(map: unknown): ({ id: string } & InputRequest)[] {
  if (!isObject(map)) return [];
  return Object.entries(map)
    .filter(([, request]) => isInputRequest(request))
    .map(([id, request]) => ({ ...(request as InputRequest), id }));
}

function isInputRequest(request: unknown): boolean {
  if (!isObject(request) || !INPUT_METHODS.has(request.method as string)) return false;
  return isObject(request.params) || (request.params === undefined && request.method === 'roots/list');
}

/**
 * Turns a list of answers into the map that is sent: results by the names of their questions.
 *
 * @example
 * toInputResponses([{ id: 'guests', response: { action: 'decline' } }]); // { guests: { action: 'decline' } }
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export function toInputResponses(
  list: readonly { id: string; response: InputResponse }[],
): Record<string, InputResponse> {
  return toMap(list.map(({ id, response }) => [id, response]));
}

/**
 * Turns a received map of answers into a list.
 *
 * @example
 * fromInputResponses({ guests: { action: 'decline' } }); // [{ id: 'guests', response: { action: 'decline' } }]
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export function fromInputResponses(map: unknown): { id: string; response: InputResponse }[] {
  if (!isObject(map)) return [];
  return Object.entries(map).map(([id, response]) => ({ id, response: response as InputResponse }));
}

/** The content of a message as a list; the protocol also allows a single block. */
export function blocksOf({ content }: SamplingMessage): readonly SamplingContent[] {
  return Array.isArray(content) ? content : [content];
}

/**
 * The answers and the state of a repeated request. An empty state differs from none. Throws `-32602` if either is
 * malformed: ignoring them would repeat the question forever.
 *
 * @example
 * const { responses, state } = readInputAnswers(request.params);
 * const guests = responses?.get('guests');
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/mrtr
 */
export function readInputAnswers(params: JsonObject): {
  responses: ReadonlyMap<string, InputResponse> | undefined;
  state: string | undefined;
} {
  const { inputResponses, requestState } = params;
  if (requestState !== undefined && typeof requestState !== 'string') {
    throw invalidParams('requestState must be the string that the server sent');
  }
  if (inputResponses === undefined) return { responses: undefined, state: requestState };
  if (!isObject(inputResponses)) throw malformedAnswers();
  const names = Object.keys(inputResponses);
  if (names.length > MAX_ANSWERS) throw invalidParams(`inputResponses has more than ${MAX_ANSWERS} answers`);
  const responses = new Map<string, InputResponse>();
  for (const name of names) {
    const response = inputResponses[name];
    if (!isObject(response)) throw malformedAnswers();
    responses.set(name, response as unknown as InputResponse);
  }
  return { responses, state: requestState };
}

/** More than a handler asks at once, in any case. */
const MAX_ANSWERS = 1000;

function malformedAnswers() {
  return invalidParams('inputResponses must be an object whose values are results');
}

function toMap<T>(entries: [string, T][]): Record<string, T> {
  // Object.fromEntries defines own properties, so `__proto__` stays an ordinary key.
  return Object.fromEntries(entries);
}
