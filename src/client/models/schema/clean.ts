import { isCount, isObject, type JsonObject } from '../../../base/json.js';
import { MAX_SCHEMA_DEPTH, MAX_SCHEMAS } from '../limits.js';
import { describeRest, withNotes } from './describe.js';
import { encodeStep, resolveReference } from './references.js';
import { DOCUMENT, SchemaNames } from './schema-names.js';
import { TooComplex } from './too-complex.js';

/** A schema in which every keyword has the form that 2020-12 demands; `true` and `false` are schemas, too. */
export type Schema = JsonObject | boolean;

/**
 * Copies a schema of any draft as one of 2020-12. Keywords without a meaning for values are left out; keywords that are
 * malformed, and references that lead nowhere, are moved to the description.
 */
export function cleanSchema(schema: JsonObject): JsonObject {
  let left = MAX_SCHEMAS;
  const names = new SchemaNames();
  const isOlder = /\bdraft-0[3-7]\b/.test(String(schema.$schema));
  const visit = (value: unknown, depth: number, pointer: string, outer: string): Schema => {
    if (--left < 0 || depth > MAX_SCHEMA_DEPTH) throw new TooComplex();
    if (typeof value === 'boolean') return value;
    if (!isObject(value)) return {};
    const base = names.add(value, pointer, outer);
    // A tool says that its arguments are an object also where a reference says the rest.
    const own = isOlder && depth > 0 ? withoutSiblings(value) : value;
    const { kept, rest } = cleanKeywords(fromOlderDraft(own), (inner, ...steps) =>
      visit(inner, depth + 1, [pointer, ...steps.map(encodeStep)].join('/'), base),
    );
    const clean = describeRest(kept, rest);
    names.bases.set(clean, base);
    return clean;
  };
  const root = visit(schema, 0, '', DOCUMENT) as JsonObject;
  return pointReferences(root, root, names) as JsonObject;
}

const TYPES = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'];

type Check = (value: unknown) => unknown;
const text: Check = value => (typeof value === 'string' ? value : undefined);
const number: Check = value => (Number.isFinite(value) ? value : undefined);
const count: Check = value => (isCount(value) ? value : undefined);
const flag: Check = value => (typeof value === 'boolean' ? value : undefined);
const list: Check = value => (Array.isArray(value) ? value : undefined);
const any: Check = value => value;
const names: Check = value =>
  Array.isArray(value) && value.every(name => typeof name === 'string') ? [...new Set(value)] : undefined;

/** The keywords with values that are not schemas; a check gives undefined for a value of the wrong form. */
const VALUES: Readonly<Record<string, Check>> = {
  type: value => {
    const types = [...new Set(Array.isArray(value) ? value : [value])];
    if (types.length === 0 || !types.every(type => TYPES.includes(type as string))) return undefined;
    return types.length === 1 ? types[0] : types;
  },
  enum: value => (Array.isArray(value) && value.length > 0 ? value : undefined),
  const: any,
  default: any,
  examples: list,
  description: text,
  title: text,
  $ref: text,
  format: text,
  contentEncoding: text,
  contentMediaType: text,
  pattern: value => (typeof value === 'string' && isPattern(value) ? value : undefined),
  required: names,
  dependentRequired: value =>
    isObject(value) && Object.values(value).every(names)
      ? Object.fromEntries(Object.entries(value).map(([name, others]) => [name, names(others)]))
      : undefined,
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  multipleOf: value => (Number.isFinite(value) && (value as number) > 0 ? value : undefined),
  minLength: count,
  maxLength: count,
  minItems: count,
  maxItems: count,
  minContains: count,
  maxContains: count,
  minProperties: count,
  maxProperties: count,
  uniqueItems: flag,
  deprecated: flag,
};
const ONE_SCHEMA = new Set([
  'not',
  'if',
  'then',
  'else',
  'items',
  'contains',
  'propertyNames',
  'additionalProperties',
  'unevaluatedItems',
  'unevaluatedProperties',
]);
const SCHEMA_LISTS = new Set(['allOf', 'anyOf', 'oneOf', 'prefixItems']);
const SCHEMA_MAPS = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions']);
/** Keywords that say nothing about values. Other references may lead into the definitions. */
const BESIDE_REFERENCES = new Set([
  '$ref',
  'title',
  'description',
  'default',
  'examples',
  '$defs',
  'definitions',
]);
/** It cannot be resolved without the schemas that refer to this one. */
const REFUSED = new Set(['$dynamicRef', '$recursiveRef']);

function cleanKeywords(
  schema: JsonObject,
  visit: (inner: unknown, ...steps: (string | number)[]) => Schema,
): { kept: JsonObject; rest: JsonObject } {
  const kept: [string, unknown][] = [];
  const rest: [string, unknown][] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    const check = Object.hasOwn(VALUES, keyword) ? VALUES[keyword] : undefined;
    if (check) {
      const checked = check(value);
      (checked === undefined ? rest : kept).push([keyword, checked ?? value]);
    } else if (ONE_SCHEMA.has(keyword)) {
      (isSchema(value) ? kept : rest).push([keyword, isSchema(value) ? visit(value, keyword) : value]);
    } else if (SCHEMA_LISTS.has(keyword)) {
      if (Array.isArray(value) && value.length > 0 && value.every(isSchema))
        kept.push([keyword, value.map((inner, at) => visit(inner, keyword, at))]);
      else rest.push([keyword, value]);
    } else if (SCHEMA_MAPS.has(keyword)) {
      if (isObject(value))
        kept.push([keyword, mapValues(value, (inner, name) => visit(inner, keyword, name))]);
      else rest.push([keyword, value]);
    } else if (REFUSED.has(keyword)) rest.push([keyword, value]);
  }
  return { kept: Object.fromEntries(kept), rest: Object.fromEntries(rest) };
}

function isSchema(value: unknown): boolean {
  return typeof value === 'boolean' || isObject(value);
}

function isPattern(pattern: string): boolean {
  try {
    new RegExp(pattern, 'u');
    return true;
  } catch {
    return false;
  }
}

/** Up to draft 7, a reference hides the keywords beside it, other than those that describe a value. */
function withoutSiblings(schema: JsonObject): JsonObject {
  if (typeof schema.$ref !== 'string') return schema;
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => BESIDE_REFERENCES.has(keyword)));
}

/** The keywords of drafts 4 to 7 that have changed, in the words of 2020-12. */
function fromOlderDraft(schema: JsonObject): JsonObject {
  const { items, additionalItems, dependencies, ...rest } = schema;
  const modern: JsonObject = rest;
  if (Array.isArray(items)) {
    if (items.length > 0) modern.prefixItems = items;
    if (additionalItems !== undefined) modern.items = additionalItems;
  } else if (items !== undefined) modern.items = items;
  for (const [exclusive, inclusive] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    const flag = modern[exclusive];
    if (typeof flag !== 'boolean') continue;
    delete modern[exclusive];
    if (!flag || modern[inclusive] === undefined) continue;
    modern[exclusive] = modern[inclusive];
    delete modern[inclusive];
  }
  if (isObject(dependencies)) {
    const entries = Object.entries(dependencies);
    const lists = entries.filter(([, needed]) => Array.isArray(needed));
    const schemas = entries.filter(([, needed]) => !Array.isArray(needed));
    if (lists.length > 0) modern.dependentRequired = Object.fromEntries(lists);
    if (schemas.length > 0) modern.dependentSchemas = Object.fromEntries(schemas);
  }
  return modern;
}

/** Makes pointers of all references, and notes of those that lead nowhere. */
function pointReferences(schema: Schema, root: JsonObject, names: SchemaNames): Schema {
  if (typeof schema === 'boolean') return schema;
  const mapped = mapSubschemas(schema, inner => pointReferences(inner, root, names));
  const { $ref, ...rest } = mapped;
  if ($ref === undefined) return mapped;
  const pointer = names.toPointer($ref as string, names.bases.get(schema));
  if (resolveReference(pointer, root) !== undefined) return { ...mapped, $ref: pointer };
  return withNotes(rest, [`The schema ${$ref} is not known.`]);
}

/** A copy of a schema in which every schema directly inside is replaced. */
export function mapSubschemas(schema: JsonObject, replace: (inner: Schema) => Schema): JsonObject {
  const entries = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (ONE_SCHEMA.has(keyword)) return [keyword, replace(value as Schema)];
    if (SCHEMA_LISTS.has(keyword)) return [keyword, (value as Schema[]).map(replace)];
    if (SCHEMA_MAPS.has(keyword)) return [keyword, mapValues(value as Record<string, Schema>, replace)];
    return [keyword, value];
  });
  return Object.fromEntries(entries);
}

/** `Object.fromEntries` copies a property that is called `__proto__`, too. */
function mapValues<T, R>(map: Record<string, T>, replace: (value: T, name: string) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(map).map(([name, value]) => [name, replace(value, name)]));
}
