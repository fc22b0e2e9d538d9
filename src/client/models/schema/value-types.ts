import type { JsonObject } from '../../../base/json.js';

const NUMERIC = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];

/** The keywords that constrain the values of one type and ignore all others. */
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  object: [
    'properties',
    'required',
    'additionalProperties',
    'patternProperties',
    'propertyNames',
    'minProperties',
    'maxProperties',
    'dependentRequired',
    'dependentSchemas',
    'unevaluatedProperties',
  ],
  array: [
    'items',
    'prefixItems',
    'minItems',
    'maxItems',
    'uniqueItems',
    'contains',
    'minContains',
    'maxContains',
    'unevaluatedItems',
  ],
  string: ['minLength', 'maxLength', 'pattern', 'format', 'contentEncoding', 'contentMediaType'],
  number: NUMERIC,
  integer: NUMERIC,
  boolean: [],
  null: [],
};

/** The types that a schema accepts, or, if it names none, the types that its keywords are about. */
export function typesOf(schema: JsonObject): string[] {
  if (schema.type !== undefined) return [schema.type].flat() as string[];
  return ['object', 'array', 'string', 'number'].filter(type =>
    (KEYWORDS[type] as string[]).some(keyword => schema[keyword] !== undefined),
  );
}

/** The keywords of a schema that are about one type. */
export function keywordsOf(schema: JsonObject, type: string): JsonObject {
  const names = KEYWORDS[type] as readonly string[];
  const isNumber = type === 'number' || type === 'integer';
  return Object.fromEntries(
    Object.entries(schema).filter(([name]) => names.includes(name) || (isNumber && name === 'format')),
  );
}

/** The type of a value; whole numbers are numbers. */
export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** Whether a value is of a type of JSON Schema. */
export function isOfType(value: unknown, type: string): boolean {
  return type === 'integer' ? Number.isInteger(value) : typeOf(value) === type;
}
