import { encodeHeaderValue } from '../../src/vocabulary/index.js';
import { ENVELOPE, type Id, LEGACY, MODERN, POST_HEADERS } from './messages.js';

/** A body that is as large as a server accepts, and as expensive as its shape allows. */
export interface CostlyInput {
  readonly name: string;
  /** What its bytes are about. Inputs of the same shape cost the same to parse. */
  readonly shape: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Whether it answers a question of the tool `waits`, which has to be open. */
  readonly isAnswer?: boolean;
  /** Made on demand, because there are many. `id` is the one of the question. */
  readonly body: (id?: Id) => string;
}

/** A round that waits for its answer: the state that the server has sealed, and the key of its question. */
export interface OpenRound {
  readonly tool: string;
  readonly requestState: string;
  readonly key: string;
}

/** What an input is called, and its shape. */
type Label = Pick<CostlyInput, 'name' | 'shape'>;

type Fill = (bytes: number) => unknown;

/** Just below what a message may have: more is refused before it is parsed. */
const NAMES = 14_500;
const CONTAINERS = 49_000;
const VALUES = 195_000;

/** Values of so many bytes as JSON at the most, each expensive in another way. */
const SHAPES: Readonly<Record<string, Fill>> = {
  'one long string': bytes => 'x'.repeat(bytes),
  'a long string of escapes': bytes => '"'.repeat(bytes / 2),
  'a long string outside Latin-1': bytes => '貓'.repeat(bytes / 3),
  'a long path': bytes => '/a'.repeat(bytes / 2),
  'a long row of percent signs': bytes => '%41'.repeat(bytes / 3),
  'a long string of pairs of surrogates': bytes => '\u{1F431}'.repeat(bytes / 4),
  'a list of true': bytes => Array(Math.min(bytes / 5, VALUES)).fill(true),
  'a list of null': bytes => Array(Math.min(bytes / 5, VALUES)).fill(null),
  'a list of empty strings': bytes => Array(Math.min(bytes / 3, VALUES)).fill(''),
  'a list of strings outside Latin-1': bytes => many(Math.min(bytes / 30, VALUES), at => `貓${name(at)}`),
  'a list of empty objects': bytes => Array(Math.min(bytes / 3, CONTAINERS)).fill({}),
  'a list of small numbers': bytes => Array(Math.min(bytes / 2, VALUES)).fill(1),
  'a list of different strings': bytes => many(Math.min(bytes / 10, VALUES), at => name(at)),
  'a list of URIs': bytes => many(bytes / 30, at => `menu17://k/${name(at).padStart(14, '0')}`),
  'an object of many strings': bytes => members(bytes / 15, () => 'a'),
  'an object of many empty objects': bytes => members(bytes / 13, () => ({})),
  'an object with numbers as names': bytes =>
    Object.fromEntries(many(Math.min(bytes / 10, NAMES), at => [String(at * 3), 1] as const)),
  'an object with names of prototypes': bytes =>
    Object.fromEntries(
      ['__proto__', 'constructor', 'toString', 'toJSON', 'hasOwnProperty', 'length', 'then'].map(
        inner => [inner, 'x'.repeat(bytes / 8)] as const,
      ),
    ),
  'an object of long names': bytes =>
    Object.fromEntries(many(200, at => [`${name(at)}${'x'.repeat(bytes / 220)}`, 1] as const)),
  'a list of content blocks': bytes =>
    many(Math.min(bytes / 40, NAMES / 2), at => ({ type: 'text', text: name(at) })),
  'a list of mixed values': bytes =>
    many(Math.min(bytes / 60, NAMES / 3), at => [{ [name(at)]: [at, name(at)] }, null, at / 7, '"']),
  'an object of many answers': bytes =>
    members(Math.min(bytes / 35, NAMES / 2), () => ({ action: 'decline' })),
  'an object of long texts': bytes => members(200, () => 'x'.repeat(bytes / 220)),
  'nested objects': bytes => {
    const deep = many(200, at => name(at)).reduce<unknown>((inner, key) => ({ [key]: inner }), 1);
    return many(Math.min(bytes / 2_400, NAMES / 201), () => deep);
  },
  'nested lists': bytes => {
    const deep = many(200, () => 0).reduce<unknown>(inner => [inner], 1);
    return many(Math.min(bytes / 402, CONTAINERS / 201), () => deep);
  },
  'more members than a message may have': bytes =>
    Object.fromEntries(many(bytes / 12, at => [name(at), 1] as const)),
};

/** Values that `JSON.stringify` would write in another way. */
const TEXTS: Readonly<Record<string, (bytes: number) => string>> = {
  'a long number': bytes => '9'.repeat(bytes),
  'a long fraction': bytes => `0.${'1'.repeat(bytes - 2)}`,
  'a list of fractions': bytes =>
    `[${Array(VALUES)
      .fill('1.'.padEnd(bytes / VALUES - 2, '7'))
      .join()}]`,
  'a value after white space': bytes => `${' '.repeat(bytes - 1)}1`,
  'an indented list': bytes =>
    `[${Array(VALUES)
      .fill('1'.padStart(bytes / VALUES - 2))
      .join()}]`,
  'a list of numbers that are too large': () => `[${Array(VALUES).fill('1e999').join()}]`,
  'a list of long numbers': bytes =>
    `[${Array(4000)
      .fill('7'.repeat(bytes / 4000 - 2))
      .join()}]`,
  'a number with a long exponent': bytes => `1e${'0'.repeat(bytes - 4)}1`,
  'an object with repeated names': bytes =>
    `{${Array(NAMES)
      .fill('"a":1'.padEnd(bytes / NAMES - 2))
      .join()}}`,
  'a string of escaped letters': bytes => `"${'\\u0041'.repeat((bytes - 2) / 6)}"`,
  'a string of lone surrogates': bytes => `"${'\\ud800'.repeat((bytes - 2) / 6)}"`,
};

/** Where a value can stand in a message, and the message around it. */
type Place = (value: unknown) => { method: string; params: object; id?: unknown };

const PLACES: Readonly<Record<string, Place>> = {
  'an argument of a tool with a schema': value => call('checked', { text: value }),
  'the arguments of a tool with a schema': value => call('checked', value),
  'an argument of a tool with a JSON Schema': value => call('plain', { text: value }),
  'the arguments of a tool with a JSON Schema': value => call('plain', value),
  'the arguments of a tool without a schema': value => call('free', value),
  'the arguments of a tool that asks': value => call('asks', value),
  'the arguments of a tool with mirrored headers': value => call('mirrored', value),
  'the arguments of an unknown tool': value => call('unknown', value),
  'the name of a tool': value => call(value, {}),
  'more parameters of a call': value => ({
    method: 'tools/call',
    params: { ...(value as object), name: 'free' },
  }),
  'the arguments of a prompt': value => ({
    method: 'prompts/get',
    params: { name: 'review', arguments: value },
  }),
  'an argument of a prompt': value => ({
    method: 'prompts/get',
    params: { name: 'review', arguments: { dish: value } },
  }),
  'the URI of a resource': value => ({ method: 'resources/read', params: { uri: value } }),
  'the URI of a template': value => ({ method: 'resources/read', params: { uri: `menu17://k/${value}` } }),
  'a cursor': value => ({ method: 'tools/list', params: { cursor: value } }),
  'the value to complete': value => complete({ argument: { name: 'dish', value } }),
  'the argument to complete': value => complete({ argument: value }),
  'the context of a completion': value => complete({ context: { arguments: value } }),
  'the prompt to complete': value => complete({ ref: { type: 'ref/prompt', name: value } }),
  'the template to complete': value => complete({ ref: { type: 'ref/resource', uri: value } }),
  'a method': value => ({ method: value as string, params: {} }),
  'an id': value => ({ ...call('free', {}), id: value }),
  'metadata itself': value => meta(isRecord(value) ? value : { 'com.example/more': [value] }),
  'the trace of a request': value => meta({ traceparent: value }),
  'the state of a trace': value => meta({ tracestate: value }),
  'the baggage of a trace': value => meta({ baggage: value }),
  'an argument of a tool with an enumeration': value => call('chooses', { dish: value }),
  'the arguments of a tool with alternatives': value => call('alternatives', value),
  'an argument of a tool with alternatives': value => call('alternatives', { dish: value }),
  'a task': value => ({ method: 'tools/call', params: { name: 'free', arguments: {}, task: value } }),
  'the id of a task': value => ({ method: 'tasks/get', params: { taskId: value } }),
  'a cursor of resources': value => ({ method: 'resources/list', params: { cursor: value } }),
  'other metadata': value => meta({ 'com.example/more': value }),
  'the progress token': value => meta({ progressToken: value }),
};

const MODERN_PLACES: Readonly<Record<string, Place>> = {
  'the capabilities': value => meta({ 'io.modelcontextprotocol/clientCapabilities': value }),
  'an extension': value =>
    meta({ 'io.modelcontextprotocol/clientCapabilities': { extensions: { 'com.example/x': value } } }),
  'the description of the client': value => meta({ 'io.modelcontextprotocol/clientInfo': value }),
  'the name of the client': value =>
    meta({ 'io.modelcontextprotocol/clientInfo': { name: value, version: '1' } }),
  'the log level': value => meta({ 'io.modelcontextprotocol/logLevel': value }),
  'a declared revision': value => meta({ 'io.modelcontextprotocol/protocolVersion': value }),
  extensions: value => meta({ 'io.modelcontextprotocol/clientCapabilities': { extensions: value } }),
  'experimental capabilities': value =>
    meta({ 'io.modelcontextprotocol/clientCapabilities': { experimental: value } }),
  'what else to listen to': value => listenTo({ toolsListChanged: value }),
  'the tasks to listen to': value => listenTo({ taskIds: value }),
  'the answers to a prompt': value => ({
    method: 'prompts/get',
    params: { name: 'review', arguments: { dish: 'soup' }, inputResponses: value, requestState: FORGED },
  }),
  answers: value => retry({ inputResponses: value }),
  'one answer': value => retry({ inputResponses: { a: value } }),
  'the content of an answer': value => retry({ inputResponses: { a: { action: 'accept', content: value } } }),
  'a state': value => retry({ requestState: value }),
  'answers with a forged state': value => retry({ inputResponses: value, requestState: FORGED }),
  'arguments with a forged state': value => ({
    method: 'tools/call',
    params: { name: 'asks', arguments: value, requestState: FORGED },
  }),
  'what to listen to': value => listenTo(value),
  'the resources to listen to': value => listenTo({ resourceSubscriptions: value }),
};

/** Where a value can stand in the next request of a round. */
const ROUND_PLACES: Readonly<Record<string, (value: unknown, round: OpenRound) => ReturnType<Place>>> = {
  'the answers to a round': (value, round) => nextRound(round, { inputResponses: value }),
  'the answer to a round': (value, round) => nextRound(round, { inputResponses: { [round.key]: value } }),
  'the content of the answer to a round': (value, { key, ...round }) =>
    nextRound({ key, ...round }, { inputResponses: { [key]: { action: 'accept', content: value } } }),
  'a field of the answer to a round': (value, { key, ...round }) =>
    nextRound(
      { key, ...round },
      { inputResponses: { [key]: { action: 'accept', content: { yes: value } } } },
    ),
  'another answer to a round': (value, { key, ...round }) =>
    nextRound({ key, ...round }, { inputResponses: { [key]: { action: 'decline' }, more: value } }),
  'other arguments of a round': (value, round) => nextRound(round, { arguments: value }),
  'more parameters of a round': (value, round) => nextRound(round, { more: value }),
  'the state of a round, and more': (value, round) =>
    nextRound(round, { requestState: `${round.requestState}${value}` }),
};

const LEGACY_PLACES: Readonly<Record<string, Place>> = {
  'the URI of a subscription': value => ({ method: 'resources/subscribe', params: { uri: value } }),
  'a log level': value => ({ method: 'logging/setLevel', params: { level: value } }),
  'the parameters of an unknown notification': value => ({
    method: 'notifications/com.example/seen',
    params: { value },
    id: undefined,
  }),
  'the reason of a cancellation': value => ({
    method: 'notifications/cancelled',
    params: { requestId: 9, reason: value },
    id: undefined,
  }),
  'the token of progress': value => progress({ progressToken: value }),
  'the message of progress': value => progress({ message: value }),
  'the progress of progress': value => progress({ progress: value }),
  'more parameters of progress': value => progress({ more: value }),
  'the id of a cancellation': value => ({
    method: 'notifications/cancelled',
    params: { requestId: value },
    id: undefined,
  }),
};

const HANDSHAKE_PLACES: Readonly<Record<string, Place>> = {
  'the capabilities of a handshake': value => initialize({ capabilities: value }),
  'a capability of a handshake': value => initialize({ capabilities: { experimental: value } }),
  'the client of a handshake': value => initialize({ clientInfo: value }),
  'the name of the client of a handshake': value => initialize({ clientInfo: { name: value, version: '1' } }),
  'the revision of a handshake': value => initialize({ protocolVersion: value }),
};

/** Where a value can stand in the response to a question. */
const OUTCOMES: Readonly<Record<string, (value: unknown) => object>> = {
  'the result': value => ({ result: value }),
  'the content': value => ({ result: { action: 'accept', content: value } }),
  'a field': value => ({ result: { action: 'accept', content: { yes: value } } }),
  'the error': value => ({ error: { code: 1, message: 'no', data: value } }),
};

const FORGED = `AAAA${'x'.repeat(200)}`;

/** Every place with every shape that fits there, in both eras. `session` is the id of a session that can be asked. */
export function* costlyInputs(
  bytes: number,
  session: string,
  rounds: readonly OpenRound[],
): Generator<CostlyInput> {
  for (const [shape, fill] of Object.entries(SHAPES)) {
    const value = fill(bytes);
    const named = (place: string) => ({ name: `${shape} as ${place}`, shape });
    for (const [place, make] of Object.entries({ ...PLACES, ...MODERN_PLACES })) {
      if (fits(place, value)) yield modern(named(place), make(value));
    }
    for (const round of rounds) {
      for (const [place, make] of Object.entries(ROUND_PLACES)) {
        if (fits(place, value)) yield modern(named(`${place} of ${round.tool}`), make(value, round));
      }
    }
    for (const [place, make] of Object.entries({ ...PLACES, ...LEGACY_PLACES })) {
      if (fits(place, value)) yield legacy(named(`${place}, in a session`), make(value), session);
    }
    for (const [place, make] of Object.entries(HANDSHAKE_PLACES)) {
      yield legacy(named(place), make(value), undefined);
    }
    for (const [place, outcome] of Object.entries(OUTCOMES)) {
      yield answer(named(`${place} of an answer`), outcome(value), session);
      yield { ...answer(named(`${place} of a true answer`), outcome(value), session), isAnswer: true };
    }
    yield { ...named('a message'), headers: POST_HEADERS, body: () => JSON.stringify(value) };
  }
  for (const [shape, write] of Object.entries(TEXTS)) {
    const text = write(bytes);
    for (const tool of ['free', 'plain', 'checked']) {
      const name = `${shape} as an argument of the tool ${tool}`;
      const message = call(tool, { text: PLACEHOLDER });
      yield withText(modern({ name, shape }, message), text);
      yield withText(legacy({ name: `${name}, in a session`, shape }, message, session), text);
    }
  }
}

const PLACEHOLDER = 'the text';

/** Puts a text where the placeholder is. */
function withText(input: CostlyInput, text: string): CostlyInput {
  return { ...input, body: () => input.body().replace(JSON.stringify(PLACEHOLDER), () => text) };
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Places for a value of one kind: with another one, the message would not contain it. */
const FITTING: Readonly<Record<string, (value: unknown) => boolean>> = {
  'more parameters of a call': isRecord,
  'the URI of a template': value => typeof value === 'string',
  'the state of a round, and more': value => typeof value === 'string',
};

function fits(place: string, value: unknown): boolean {
  return FITTING[place]?.(value) ?? true;
}

function modern(label: Label, { method, params, id = 1 }: ReturnType<Place>): CostlyInput {
  const { _meta, ...rest } = params as { _meta?: object };
  const { name, uri = name, taskId: target = uri } = rest as Record<string, unknown>;
  const mirrored = typeof target === 'string' && target.length < 8000 ? target : 'x';
  return {
    ...label,
    headers: {
      ...POST_HEADERS,
      'mcp-protocol-version': MODERN,
      'mcp-method': typeof method === 'string' && method.length < 8000 ? method : 'x',
      'mcp-name': encodeHeaderValue(mirrored),
      'mcp-param-city': 'Paris',
    },
    body: () =>
      JSON.stringify({
        jsonrpc: '2.0',
        id,
        method,
        params: { ...rest, _meta: { ...ENVELOPE, ..._meta } },
      }),
  };
}

function legacy(label: Label, message: ReturnType<Place>, session: string | undefined): CostlyInput {
  const { method, params } = message;
  const id = 'id' in message ? message.id : 1;
  return {
    ...label,
    headers: { ...POST_HEADERS, ...(session && { 'mcp-session-id': session }) },
    body: () => JSON.stringify({ jsonrpc: '2.0', id, method, params }),
  };
}

function answer(label: Label, outcome: object, session: string): CostlyInput {
  return {
    ...label,
    headers: { ...POST_HEADERS, 'mcp-session-id': session },
    body: (id = 1) => JSON.stringify({ jsonrpc: '2.0', id, ...outcome }),
  };
}

function call(name: unknown, args: unknown): ReturnType<Place> {
  return { method: 'tools/call', params: { name, arguments: args } };
}

function retry(more: object): ReturnType<Place> {
  return { method: 'tools/call', params: { name: 'asks', arguments: {}, ...more } };
}

function nextRound({ tool, requestState }: OpenRound, more: object): ReturnType<Place> {
  const _meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
  return { method: 'tools/call', params: { name: tool, arguments: {}, requestState, ...more, _meta } };
}

function listenTo(notifications: unknown): ReturnType<Place> {
  return { method: 'subscriptions/listen', params: { notifications } };
}

function progress(more: object): ReturnType<Place> {
  const params = { progressToken: 1, progress: 1, ...more };
  return { method: 'notifications/progress', params, id: undefined };
}

function meta(_meta: object): ReturnType<Place> {
  return { method: 'tools/call', params: { name: 'free', arguments: {}, _meta } };
}

function complete(more: object): ReturnType<Place> {
  const ref = { type: 'ref/prompt', name: 'review' };
  return {
    method: 'completion/complete',
    params: { ref, argument: { name: 'dish', value: 's' }, ...more },
  };
}

function initialize(more: object): ReturnType<Place> {
  const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo: { name: 'c', version: '1' } };
  return { method: 'initialize', params: { ...params, ...more } };
}

function many<T>(count: number, make: (at: number) => T): T[] {
  return Array.from({ length: Math.floor(count) }, (_, at) => make(at));
}

/** Names in an order that is not that of the alphabet. */
function name(at: number): string {
  return (Math.imul(at, 2_654_435_761) >>> 0).toString(36).padStart(7, 'k');
}

function members(count: number, make: () => unknown): object {
  return Object.fromEntries(many(Math.min(count, NAMES), at => [name(at), make()] as const));
}
