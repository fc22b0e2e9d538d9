import type { JsonObject } from 'tenon/protocol';
import { isObject } from '../answer.js';

const TYPES = new Set(['array', 'boolean', 'integer', 'null', 'number', 'object', 'string']);
const MAX_DEPTH = 200;

type Rule = (value: unknown, root: JsonObject, path: string, depth: number) => string | undefined;

/**
 * The first fault of a JSON Schema, such as `has an unknown type "strnig" at #/properties/size`; undefined if there is
 * none. Unknown keywords are allowed.
 */
export function schemaProblem(schema: unknown): string | undefined {
  return check(schema, isObject(schema) ? schema : {}, '#', 0);
}

function check(schema: unknown, root: JsonObject, path: string, depth: number): string | undefined {
  if (typeof schema === 'boolean') return undefined;
  if (!isObject(schema)) return `must be an object or a boolean at ${path}`;
  if (depth > MAX_DEPTH) return `is nested too deeply at ${path.slice(0, 80)}…`;
  for (const [keyword, value] of Object.entries(schema)) {
    const problem = RULES.get(keyword)?.(value, root, `${path}/${toPointer(keyword)}`, depth + 1);
    if (problem) return problem;
  }
  return undefined;
}

const schemas: Rule = (value, root, path, depth) => {
  if (!Array.isArray(value) || value.length === 0) return `must have a list of schemas at ${path}`;
  return first(value.entries(), ([index, one]) => check(one, root, `${path}/${index}`, depth));
};

const named: Rule = (value, root, path, depth) => {
  if (!isObject(value)) return `must have an object at ${path}`;
  return first(Object.entries(value), ([name, one]) => check(one, root, `${path}/${toPointer(name)}`, depth));
};

const number: Rule = (value, _, path) =>
  typeof value === 'number' ? undefined : `must have a number at ${path}`;

const count: Rule = (value, _, path) =>
  Number.isInteger(value) && (value as number) >= 0 ? undefined : `must have a natural number at ${path}`;

const list: Rule = (value, _, path) => (Array.isArray(value) ? undefined : `must have a list at ${path}`);

const names: Rule = (value, _, path) =>
  Array.isArray(value) && value.every(name => typeof name === 'string')
    ? undefined
    : `must have a list of names at ${path}`;

const type: Rule = (value, _, path) => {
  const unknown = [value].flat().find(one => !TYPES.has(one as string));
  return unknown === undefined ? undefined : `has an unknown type ${JSON.stringify(unknown)} at ${path}`;
};

const pattern: Rule = (value, _, path) => {
  if (typeof value !== 'string') return `must have a text at ${path}`;
  try {
    new RegExp(value, 'u');
  } catch {
    // Without the flag, JavaScript accepts what other languages and older schemas do.
    try {
      new RegExp(value);
    } catch {
      return `has an invalid pattern at ${path}`;
    }
  }
  return undefined;
};

/** Only references within the schema can be looked up. */
const reference: Rule = (value, root, path) => {
  if (typeof value !== 'string') return `must have a text at ${path}`;
  if (!value.startsWith('#/')) return undefined;
  let place: unknown = root;
  for (const part of value.slice(2).split('/')) {
    const key = fromPointer(part);
    place = isObject(place) || Array.isArray(place) ? (place as JsonObject)[key] : undefined;
  }
  return place === undefined ? `refers to ${value}, which does not exist, at ${path}` : undefined;
};

const schemaOrList: Rule = (value, ...rest) =>
  Array.isArray(value) ? schemas(value, ...rest) : check(value, ...rest);

const RULES = new Map<string, Rule>([
  ['type', type],
  ['$ref', reference],
  ['pattern', pattern],
  ['required', names],
  ['enum', list],
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'].map(entry(named)),
  ...['allOf', 'anyOf', 'oneOf', 'prefixItems'].map(entry(schemas)),
  ...['additionalProperties', 'propertyNames', 'contains', 'not', 'if', 'then', 'else'].map(entry(check)),
  ['items', schemaOrList],
  ...['minimum', 'maximum', 'multipleOf'].map(entry(number)),
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'].map(entry(count)),
]);

function entry(rule: Rule): (keyword: string) => [string, Rule] {
  return keyword => [keyword, rule];
}

function first<T>(items: Iterable<T>, find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found) return found;
  }
  return undefined;
}

/** As JSON pointers are written. */
function toPointer(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

function fromPointer(part: string): string {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return part;
  }
}
