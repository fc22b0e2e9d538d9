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
  /** The prefix of headers that mirror arguments of a tool. */
  parameterPrefix: 'mcp-param-',
  lastEventId: 'last-event-id',
} as const;

/**
 * Encodes a value for a header: unchanged if every intermediary preserves it, otherwise in Base64.
 *
 * @example
 * encodeHeaderValue('us-west1'); // 'us-west1'
 * encodeHeaderValue(' crème '); // '=?base64?IGNyw6htZSA=?='
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#value-encoding
 */
export function encodeHeaderValue(value: string | number | boolean): string {
  const text = isLargeInteger(value) ? String(BigInt(value)) : String(value);
  // An empty value and tabs would be legal too, but intermediaries drop the former and replace the latter.
  const isPlain = /^[!-~](?:[ -~]*[!-~])?$/.test(text) && !looksEncoded(text);
  return isPlain ? text : PREFIX + toBase64(new TextEncoder().encode(text)) + SUFFIX;
}

/**
 * Decodes the value of a header; undefined if it is malformed: characters that are not allowed in headers, Base64 that
 * an encoder would not have written, or text that is not UTF-8.
 *
 * @example
 * decodeHeaderValue('=?base64?IGNyw6htZSA=?='); // ' crème '
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#value-encoding
 */
export function decodeHeaderValue(value: string): string | undefined {
  if (!looksEncoded(value)) return /^(?:[!-~](?:[\t -~]*[!-~])?)?$/.test(value) ? value : undefined;
  // In `=?base64?=` the prefix and the suffix overlap.
  if (value.length < PREFIX.length + SUFFIX.length) return undefined;
  return fromBase64(value.slice(PREFIX.length, -SUFFIX.length));
}

/**
 * Whether a value, written into a header unchanged, would end that header and could add others.
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
 * Why a value cannot be an `x-mcp-header` annotation; undefined if it can.
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
 * The arguments that an input schema mirrors in headers. Invalid annotations are left out; `parameterHeaderProblem`
 * tells whether there are any.
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
 * The first reason why the `x-mcp-header` annotations of an input schema make its tool invalid, if there is one.
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
 * Why the headers of a request do not match its arguments; undefined if they do. The reason names headers and
 * arguments, but contains no values.
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

/** `String` writes such integers with an exponent. */
function isLargeInteger(value: string | number | boolean): value is number {
  return typeof value === 'number' && Math.abs(value) >= 1e21 && Number.isInteger(value);
}

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
    // atob accepts spaces, missing padding and stray bits.
    if (btoa(binary) !== text) return undefined;
    const bytes = Uint8Array.from(binary, char => char.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

// Annotations

/** No real schema is this deep or this large; an object that contains itself would be both. */
const MAX_DEPTH = 100;
const MAX_SCHEMAS = 100_000;
/** More headers than any server or proxy accepts. */
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

/** Keywords that contain data, where `x-mcp-header` is an ordinary name. */
const DATA = new Set(['default', 'const', 'enum', 'examples']);

interface Place {
  schema: JsonObject;
  /** The keywords and names that lead here, for messages. */
  label: string;
  /** The names of the properties that lead here; undefined if other keywords do, too. */
  path: readonly string[] | undefined;
  depth: number;
}

/** Yields every annotation in a schema, in document order; a string is the reason why one is invalid. */
function* readAnnotations(inputSchema: unknown): Generator<ParameterHeader | string> {
  if (!isObject(inputSchema)) return;
  const taken = new Map<string, string>();
  // An explicit stack instead of recursion: a deep schema must not overflow the call stack.
  const places: Place[] = [{ schema: inputSchema, label: '', path: [], depth: 0 }];
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
  const { schema, path } = place;
  const label = place.label || 'the root';
  const complain = (problem: string) => `x-mcp-header at ${label}: ${problem}`;
  if (!path?.length) {
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
  return { header, name, path, type };
}

/** Pushes the inner schemas of a schema in reverse order, so that the first one is popped first. */
function pushInner(places: Place[], outer: Place): void {
  const depth = outer.depth + 1;
  for (const keyword of Object.keys(outer.schema).reverse()) {
    if (DATA.has(keyword)) continue;
    const value = outer.schema[keyword];
    const at = outer.label ? `${outer.label}.${keyword}` : keyword;
    const push = (schema: unknown, label: string, path?: readonly string[]) => {
      if (isObject(schema)) places.push({ schema, label, path, depth });
    };
    if (Array.isArray(value)) {
      for (let index = value.length - 1; index >= 0; index--) push(value[index], `${at}.${index}`);
    } else if (isObject(value) && NAMED_SCHEMAS.has(keyword)) {
      const path = keyword === 'properties' ? outer.path : undefined;
      for (const name of Object.keys(value).reverse()) {
        push(value[name], `${at}.${name}`, path && [...path, name]);
      }
    } else {
      push(value, at);
    }
  }
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

/** A number may be written in several ways: 42 is also 42.0. */
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
