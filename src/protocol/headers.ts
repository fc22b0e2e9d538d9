import { isObject, type JsonObject } from './json.js';

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
  /** The keywords and names that lead here, for messages. */
  where: readonly string[];
  /** The property names that lead here; undefined if anything else than `properties` does. */
  path: readonly string[] | undefined;
  depth: number;
}

/** Every annotation in a schema, in document order; a string is the reason why one is invalid. */
function* readAnnotations(inputSchema: unknown): Generator<ParameterHeader | string> {
  const taken = new Map<string, string>();
  // A list instead of recursion: a deep schema must not overflow the stack.
  const places: Place[] = isObject(inputSchema)
    ? [{ schema: inputSchema, where: [], path: [], depth: 0 }]
    : [];
  let count = places.length;
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    if (ownValue(place.schema, 'x-mcp-header') !== undefined) yield readAnnotation(place, taken);
    const inner = placesWithin(place);
    count += inner.length;
    if (place.depth === MAX_DEPTH && inner.length > 0) {
      return yield tooLarge(`nested more than ${MAX_DEPTH} deep`);
    }
    if (count > MAX_SCHEMAS) return yield tooLarge(`more than ${MAX_SCHEMAS} in all`);
    for (const next of inner.reverse()) places.push(next);
  }
}

function tooLarge(limit: string): string {
  return `the input schema has schemas ${limit}; an object in it may contain itself`;
}

function readAnnotation(
  { schema, where, path }: Place,
  taken: Map<string, string>,
): ParameterHeader | string {
  const label = where.length === 0 ? 'the root' : where.join('.');
  const complain = (problem: string) => `x-mcp-header at ${label}: ${problem}`;
  if (path === undefined || path.length === 0) {
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
  taken.set(header, label);
  return { header, name, path, type };
}

function placesWithin(place: Place): Place[] {
  const found: Place[] = [];
  const add = (schema: unknown, keys: readonly string[], path?: readonly string[]) => {
    if (!isObject(schema)) return;
    found.push({ schema, where: [...place.where, ...keys], path, depth: place.depth + 1 });
  };
  for (const [keyword, value] of Object.entries(place.schema)) {
    if (DATA.has(keyword)) continue;
    if (Array.isArray(value)) {
      for (const [index, schema] of value.entries()) add(schema, [keyword, String(index)]);
    } else if (isObject(value) && NAMED_SCHEMAS.has(keyword)) {
      const path = keyword === 'properties' ? place.path : undefined;
      for (const [name, schema] of Object.entries(value)) {
        add(schema, [keyword, name], path && [...path, name]);
      }
    } else {
      add(value, [keyword]);
    }
  }
  return found;
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
