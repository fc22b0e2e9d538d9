import { isObject, type JsonObject } from '../base/json.js';

/**
 * The HTTP headers of the protocol, in lower case as they are looked up.
 *
 * @example
 * const version = request.headers.get(HEADER.protocolVersion);
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#request-metadata
 */
export const HEADER = {
  protocolVersion: 'mcp-protocol-version',
  sessionId: 'mcp-session-id',
  method: 'mcp-method',
  name: 'mcp-name',
  /** The beginning of the headers that mirror arguments of a tool. */
  parameterPrefix: 'mcp-param-',
  lastEventId: 'last-event-id',
} as const;

/**
 * A value as it is written in a header: as it is where every intermediary keeps it so, otherwise in Base64.
 *
 * @example
 * encodeHeaderValue('us-west1'); // 'us-west1'
 * encodeHeaderValue(' crème '); // '=?base64?IGNyw6htZSA=?='
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#value-encoding
 */
export function encodeHeaderValue(value: string | number | boolean): string {
  const text = String(value);
  // Nothing at all, and tabs, would be legal too, but intermediaries drop the one and replace the other.
  const isPlain = /^[!-~](?:[ -~]*[!-~])?$/.test(text) && !looksEncoded(text);
  return isPlain ? text : PREFIX + toBase64(new TextEncoder().encode(text)) + SUFFIX;
}

/**
 * The value that a header carries, or undefined if it is malformed: characters that no header can have, Base64
 * that an encoder would not have written, or text that is not UTF-8.
 *
 * @example
 * decodeHeaderValue('=?base64?IGNyw6htZSA=?='); // ' crème '
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#value-encoding
 */
export function decodeHeaderValue(value: string): string | undefined {
  if (!looksEncoded(value)) return /^(?:[!-~](?:[\t -~]*[!-~])?)?$/.test(value) ? value : undefined;
  // In `=?base64?=` the two marks share a character.
  if (value.length < PREFIX.length + SUFFIX.length) return undefined;
  return fromBase64(value.slice(PREFIX.length, -SUFFIX.length));
}

/**
 * Whether a value would end its header early if it were written as it is, and so could add headers of its own.
 *
 * @example
 * breaksFraming('a\r\nAuthorization: b'); // true
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#value-encoding
 */
export function breaksFraming(value: string): boolean {
  return ['\r', '\n', '\0'].some(char => value.includes(char));
}

/**
 * Why this cannot be the value of an `x-mcp-header` annotation; undefined if it can.
 *
 * @example
 * headerNameProblem('Region'); // undefined
 * headerNameProblem('My Region'); // 'it has " ", and a header name can only have …'
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#x-mcp-header
 */
export function headerNameProblem(name: unknown): string | undefined {
  if (typeof name !== 'string') return `it must be a string, not ${kindOf(name)}`;
  if (name === '') return 'it must not be empty';
  const wrong = /[^!#$%&'*+.^_`|~0-9A-Za-z-]/u.exec(name)?.[0];
  if (wrong === undefined) return undefined;
  return `it has ${JSON.stringify(wrong)}, and a header name can only have letters, digits and !#$%&'*+-.^_\`|~`;
}

/** An argument of a tool that is mirrored in a header. */
export interface ParameterHeader {
  /** The whole name in lower case, such as `mcp-param-region`. */
  header: string;
  /** The name as it was annotated, such as `Region`. */
  name: string;
  /** The property names that lead to the argument. */
  path: readonly string[];
  type: 'string' | 'integer' | 'boolean';
}

/**
 * The arguments that an input schema wants to have mirrored in headers. Annotations that break a rule are left
 * out; `parameterHeaderProblem` tells whether there are any.
 *
 * @example
 * collectParameterHeaders({ properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } });
 * // [{ header: 'mcp-param-region', name: 'Region', path: ['region'], type: 'string' }]
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#custom-headers-from-tool-parameters
 */
export function collectParameterHeaders(inputSchema: unknown): ParameterHeader[] {
  return [...readAnnotations(inputSchema)].filter(found => typeof found !== 'string');
}

/**
 * The first reason why the `x-mcp-header` annotations of an input schema make its tool invalid; undefined if
 * they are all in order.
 *
 * @example
 * parameterHeaderProblem({ properties: { price: { type: 'number', 'x-mcp-header': 'Price' } } });
 * // 'x-mcp-header at properties.price: the type must be "string", "integer" or "boolean", not "number"'
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#x-mcp-header
 */
export function parameterHeaderProblem(inputSchema: unknown): string | undefined {
  for (const found of readAnnotations(inputSchema)) {
    if (typeof found === 'string') return found;
  }
  return undefined;
}

/** The headers of an input schema, or the first reason why its annotations are invalid. */
export function readParameterHeaders(inputSchema: unknown): ParameterHeader[] | string {
  const headers: ParameterHeader[] = [];
  for (const found of readAnnotations(inputSchema)) {
    if (typeof found === 'string') return found;
    headers.push(found);
  }
  return headers;
}

/**
 * The headers to send with these arguments. An argument that is absent or null has none.
 *
 * @example
 * parameterHeaders(collectParameterHeaders(tool.inputSchema), { region: 'us-west1' });
 * // { 'mcp-param-region': 'us-west1' }
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#client-behavior
 */
export function parameterHeaders(list: readonly ParameterHeader[], args: unknown): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { header, path } of list) {
    const value = valueAt(args, path);
    if (isPrimitive(value)) headers[header] = encodeHeaderValue(value);
  }
  return headers;
}

/**
 * Why the headers of a request disagree with its arguments; undefined if they do not. The reason names headers
 * and arguments, but repeats no values.
 *
 * @example
 * const reason = parameterHeaderMismatch(list, params.arguments, name => request.headers.get(name) ?? undefined);
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#server-validation
 */
export function parameterHeaderMismatch(
  list: readonly ParameterHeader[],
  args: unknown,
  header: (name: string) => string | undefined,
): string | undefined {
  for (const parameter of list) {
    const problem = compare(valueAt(args, parameter.path), header(parameter.header));
    if (problem !== undefined) {
      return `header Mcp-Param-${parameter.name} and argument "${parameter.path.join('.')}": ${problem}`;
    }
  }
  return undefined;
}

// Values

const PREFIX = '=?base64?';
const SUFFIX = '?=';

function looksEncoded(text: string): boolean {
  return text.startsWith(PREFIX) && text.endsWith(SUFFIX);
}

function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''));
}

function fromBase64(text: string): string | undefined {
  try {
    const binary = atob(text);
    // atob forgives spaces, missing padding and stray bits.
    if (btoa(binary) !== text) return undefined;
    const bytes = Uint8Array.from(binary, char => char.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

// Annotations

/** A real schema has neither this depth nor this size; an object that refers to itself would have both. */
const MAX_DEPTH = 100;
const MAX_SCHEMAS = 100_000;
/** More headers than any server or proxy lets through. */
const MAX_HEADERS = 1000;

/** Keywords whose members are schemas under names of the author's choice. */
const NAMED_SCHEMAS = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);

/** Keywords that hold data, in which `x-mcp-header` is an ordinary name. */
const DATA = new Set(['default', 'const', 'enum', 'examples']);

interface Place {
  schema: JsonObject;
  /** The schema that this one is in, and the keyword and the name or index that lead here from it. */
  outer: Place | undefined;
  keyword: string;
  name: string | number | undefined;
  /** Whether `properties` alone lead here. */
  isArgument: boolean;
  depth: number;
}

/** Every annotation in a schema, in document order; a string is the reason why one is invalid. */
function* readAnnotations(inputSchema: unknown): Generator<ParameterHeader | string> {
  if (!isObject(inputSchema)) return;
  const taken = new Map<string, string>();
  const root = {
    schema: inputSchema,
    outer: undefined,
    keyword: '',
    name: undefined,
    isArgument: true,
    depth: 0,
  };
  // A list instead of recursion: a deep schema must not overflow the stack.
  const places: Place[] = [root];
  let count = 1;
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    if (ownValue(place.schema, 'x-mcp-header') !== undefined) yield readAnnotation(place, taken);
    const before = places.length;
    pushInner(places, place);
    count += places.length - before;
    if (place.depth === MAX_DEPTH && places.length > before) {
      return yield tooLarge(`nested more than ${MAX_DEPTH} deep`);
    }
    if (count > MAX_SCHEMAS) return yield tooLarge(`more than ${MAX_SCHEMAS} in all`);
  }
}

function tooLarge(limit: string): string {
  return `the input schema has schemas ${limit}; an object in it may contain itself`;
}

function readAnnotation(place: Place, taken: Map<string, string>): ParameterHeader | string {
  const { schema } = place;
  const label = labelOf(place);
  const complain = (problem: string) => `x-mcp-header at ${label}: ${problem}`;
  if (!place.isArgument || !place.outer) {
    return complain('it is only allowed on a property that "properties" alone lead to');
  }
  const name = schema['x-mcp-header'];
  const problem = headerNameProblem(name);
  if (problem !== undefined || typeof name !== 'string') return complain(problem ?? 'it must be a string');
  const type = ownValue(schema, 'type');
  if (type !== 'string' && type !== 'integer' && type !== 'boolean') {
    const given = typeof type === 'string' ? `"${type}"` : kindOf(type);
    return complain(`the type must be "string", "integer" or "boolean", not ${given}`);
  }
  const header = HEADER.parameterPrefix + name.toLowerCase();
  const earlier = taken.get(header);
  if (earlier !== undefined) {
    return complain(`the name "${name}" is taken by ${earlier}; upper and lower case are the same`);
  }
  if (taken.size >= MAX_HEADERS) return complain(`no request can have more than ${MAX_HEADERS} of them`);
  taken.set(header, label);
  return { header, name, path: pathOf(place), type };
}

/** Adds the schemas within one, the last first, so that the first is taken first. */
function pushInner(places: Place[], outer: Place): void {
  const depth = outer.depth + 1;
  for (const keyword of Object.keys(outer.schema).reverse()) {
    if (DATA.has(keyword)) continue;
    const value = outer.schema[keyword];
    const push = (schema: unknown, name: string | number | undefined, isArgument: boolean) => {
      if (isObject(schema)) places.push({ schema, outer, keyword, name, isArgument, depth });
    };
    if (Array.isArray(value)) {
      for (let index = value.length - 1; index >= 0; index--) push(value[index], index, false);
    } else if (isObject(value) && NAMED_SCHEMAS.has(keyword)) {
      const isArgument = outer.isArgument && keyword === 'properties';
      for (const name of Object.keys(value).reverse()) push(value[name], name, isArgument);
    } else {
      push(value, undefined, false);
    }
  }
}

/** The keywords and names that lead to a place, for messages. */
function labelOf(place: Place): string {
  const steps: (string | number)[] = [];
  for (let at = place; at.outer; at = at.outer) {
    if (at.name !== undefined) steps.push(at.name);
    steps.push(at.keyword);
  }
  return steps.reverse().join('.') || 'the root';
}

/** The names of the properties that lead to a place. */
function pathOf(place: Place): string[] {
  const path: string[] = [];
  for (let at = place; at.outer; at = at.outer) path.push(String(at.name));
  return path.reverse();
}

// Arguments

/** The value at a path of own properties. */
function valueAt(args: unknown, path: readonly string[]): unknown {
  return path.reduce(ownValue, args);
}

function ownValue(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function isPrimitive(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

function compare(value: unknown, header: string | undefined): string | undefined {
  if (value === undefined || value === null) {
    return header === undefined ? undefined : 'the header is there without the argument; leave it out';
  }
  if (!isPrimitive(value)) return `the argument is ${kindOf(value)}, which no header can carry`;
  if (Number.isInteger(value) && !Number.isSafeInteger(value)) return 'the integer must be within ±(2^53−1)';
  if (header === undefined) return 'the header is missing; send the argument in it as well';
  const decoded = decodeHeaderValue(header);
  if (decoded === undefined) return 'the header is malformed; it must be plain ASCII, or Base64 of UTF-8';
  const same = typeof value === 'number' ? isSameNumber(decoded, value) : decoded === String(value);
  return same ? undefined : 'they must have the same value';
}

/** Numbers may be written in more than one way: 42 is also 42.0. */
function isSameNumber(text: string, value: number): boolean {
  if (text === String(value)) return true;
  return (
    /^-?(?:0|[1-9][0-9]*)(?:\.0+)?$/.test(text) &&
    Number.isSafeInteger(Number(text)) &&
    Number(text) === value
  );
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return String(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
