import { isCount, isObject, type JsonObject, type JsonSchema, quoteBriefly } from '../base/json.js';

const TYPES: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'array']);

/** The reason why clients cannot show a JSON Schema as a form; undefined if they can. */
export function formProblem(json: JsonSchema): string | undefined {
  if (json.type !== 'object' || !isObject(json.properties)) {
    return 'the form of a question must be an object with properties';
  }
  const { properties, required = [] } = json;
  for (const [name, field] of Object.entries(properties)) {
    const problem = fieldProblem(field) ?? keywordProblem(field as JsonObject);
    if (problem) return `field "${name}" of a question ${problem}`;
  }
  const areFields =
    Array.isArray(required) && required.every(name => isText(name) && Object.hasOwn(properties, name));
  return areFields ? undefined : 'the required fields of a question must be a list of names of its fields';
}

function fieldProblem(field: unknown): string | undefined {
  if (!isObject(field) || !TYPES.has(field.type)) return NOT_FLAT;
  if (field.type === 'array') return isChoice(field.items, 'anyOf') ? undefined : NOT_FLAT;
  const isText = field.type === 'string';
  if (field.enum === undefined && (field.oneOf === undefined || !isText)) return undefined;
  return isText && isChoice(field, 'oneOf') ? undefined : NOT_TEXTS;
}

const PRIMITIVES: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean']);

/**
 * Why a form of a server is not flat; undefined if it is. Servers of other SDKs write an optional field as a union with
 * null, and leave out the type of a choice: that is clear, and flat.
 */
export function nestingProblem(form: unknown): string | undefined {
  if (!isObject(form)) return 'it is not a JSON Schema';
  const { type = 'object', properties = {} } = form;
  if (type !== 'object' || !isObject(properties)) return 'it is not an object with properties';
  const nested = Object.keys(properties).find(name => !isFlat(properties[name]));
  return nested === undefined ? undefined : `its field ${quoteBriefly(nested)} ${NOT_FLAT}`;
}

/** The name of a field with several answers, which not every revision has; undefined if there is none. */
export function multipleChoice({ properties }: JsonSchema): string | undefined {
  if (!isObject(properties)) return undefined;
  return Object.keys(properties).find(name => unionOf(properties[name]).some(({ type }) => type === 'array'));
}

function isFlat(field: unknown): boolean {
  const union = unionOf(field).filter(({ type }) => type !== 'null');
  return union.length > 0 && union.every(isPrimitive);
}

function isPrimitive(field: JsonObject): boolean {
  if (field.type === 'array') return isChoice(field.items, 'anyOf');
  return PRIMITIVES.has(field.type) || (field.type === undefined && isChoice(field, 'oneOf'));
}

/** The schemas of which a value has to fit one. */
function unionOf(field: unknown): JsonObject[] {
  if (!isObject(field)) return [];
  const { type, anyOf } = field;
  if (Array.isArray(type)) return type.map(one => ({ ...field, type: one }));
  if (type !== undefined || !Array.isArray(anyOf)) return [field];
  return anyOf.map(one => (isObject(one) ? one : {}));
}

/** What is wrong with a keyword of a field that clients get. */
function keywordProblem(field: JsonObject): string | undefined {
  for (const [keywords, isValid, expected] of KEYWORDS) {
    const wrong = keywords.find(keyword => field[keyword] !== undefined && !isValid(field[keyword]));
    if (wrong) return `has the ${wrong} ${quoteBriefly(field[wrong])}, which must be ${expected}`;
  }
  const { type, default: preset } = field;
  if (preset === undefined || isOfType(preset, type)) return undefined;
  return `has the default ${quoteBriefly(preset)}, which is not of its type ${quoteBriefly(type)}`;
}

const KEYWORDS: readonly [keywords: string[], isValid: (value: unknown) => boolean, expected: string][] = [
  [['title', 'description', 'format'], isText, 'a text'],
  [['minLength', 'maxLength', 'minItems', 'maxItems'], isCount, 'a whole number, 0 or more'],
  [['minimum', 'maximum'], Number.isFinite, 'a number'],
];

function isOfType(value: unknown, type: unknown): boolean {
  if (type === 'array') return Array.isArray(value) && value.every(isText);
  if (type === 'integer') return Number.isInteger(value);
  return type === 'number' ? Number.isFinite(value) : typeof value === type;
}

const NOT_FLAT =
  'must be a string, a number, a boolean, or a choice (`enum`, or `oneOf` with `type: "string"`): forms are flat';
const NOT_TEXTS = 'is a choice of values that are not texts; let users choose texts, and convert them';

/** Whether a schema is a choice of texts: an `enum`, or a list of constants with titles under `titled`. */
function isChoice(schema: unknown, titled: 'oneOf' | 'anyOf'): boolean {
  if (!isObject(schema)) return false;
  const { enum: texts = [], [titled]: choices = [] } = schema;
  if (!Array.isArray(texts) || !Array.isArray(choices) || texts.length + choices.length === 0) return false;
  return texts.every(isText) && choices.every(isTitled);
}

function isTitled(choice: unknown): boolean {
  return isObject(choice) && isText(choice.const) && (choice.title === undefined || isText(choice.title));
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

/** The keywords that a field of a form may have; all others are checked on this side only. */
const FIELD_KEYWORDS: ReadonlySet<string> = new Set([
  'type',
  'title',
  'description',
  'default',
  'enum',
  'enumNames',
  'oneOf',
  'minLength',
  'maxLength',
  'format',
  'minimum',
  'maximum',
  'items',
  'minItems',
  'maxItems',
]);

const FORMATS: ReadonlySet<unknown> = new Set(['email', 'uri', 'date', 'date-time']);

/** A field as clients can show it, without the keywords that the protocol does not have. */
export function shownField(field: JsonObject): JsonObject {
  const kept = Object.entries(field).filter(
    ([keyword, value]) => FIELD_KEYWORDS.has(keyword) && (keyword !== 'format' || FORMATS.has(value)),
  );
  const { oneOf, items, ...rest } = Object.fromEntries(kept);
  return {
    ...rest,
    ...(Array.isArray(oneOf) && { oneOf: oneOf.map(withTitle) }),
    ...(isObject(items) && { items: toItems(items) }),
  };
}

function toItems({ enum: texts, anyOf }: JsonObject): JsonObject {
  return Array.isArray(anyOf) ? { anyOf: anyOf.map(withTitle) } : { type: 'string', enum: texts };
}

/** The protocol wants a title for every choice of such a list. */
function withTitle({ const: value, title = value }: JsonObject): JsonObject {
  return { const: value, title };
}
