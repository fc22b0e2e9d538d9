import type { JsonObject } from 'tenon/protocol';
import { isObject } from '../../is-object.js';

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
  if (depth > MAX_DEPTH) return `is nested too deeply at ${brief(path)}`;
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

/** Only references within the schema can be looked up. One that leads to itself describes nothing. */
const reference: Rule = (value, root, path) => {
  if (typeof value !== 'string') return `must have a text at ${path}`;
  const passed = new Set<string>();
  let target: unknown = value;
  while (typeof target === 'string' && /^#(?:\/|$)/.test(target) && passed.size < MAX_DEPTH) {
    if (passed.has(target))
      return `has a reference that leads in a circle at ${path}: ${brief([...passed, target].join(' → '))}`;
    passed.add(target);
    const place = lookUp(target, root);
    if (place === undefined) return `refers to ${target}, which does not exist, at ${path}`;
    target = isObject(place) ? place.$ref : undefined;
  }
  return undefined;
};

function lookUp(reference: string, root: JsonObject): unknown {
  const parts = reference.split('/').slice(1);
  return parts.reduce<unknown>((place, part) => {
    return isObject(place) || Array.isArray(place) ? (place as JsonObject)[fromPointer(part)] : undefined;
  }, root);
}

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

function brief(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
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
