import { isObject, type JsonObject } from '../base/json.js';
import { encodeHeaderValue, HEADER, headerNameProblem, kindOf } from './headers.js';

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
export function valueAt(args: unknown, path: readonly string[]): unknown {
  return path.reduce(ownValue, args);
}

function ownValue(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

export function isPrimitive(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
