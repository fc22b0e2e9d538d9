import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec';
import { clip } from '../../base/clip.js';
import { UsageError } from '../../base/errors.js';
import { isJson, isObject, isPlain, type JsonObject, type JsonSchema } from '../../base/json.js';
import { andThen } from '../../base/settle.js';
import type { FromJsonSchema } from './json-schema-type.js';

/**
 * An author's description of a value: a schema of zod, valibot, arktype or any other library that follows Standard
 * Schema, or a plain JSON Schema object.
 */
export type Schema = StandardSchemaV1 | JsonSchema;

/** The type of a value that has passed a schema. */
export type Infer<S> = S extends StandardSchemaV1 ? StandardSchemaV1.InferOutput<S> : FromJsonSchema<S>;

/** The type of a value that is about to be checked by a schema. */
export type InferInput<S> = S extends StandardSchemaV1 ? StandardSchemaV1.InferInput<S> : FromJsonSchema<S>;

/** A compiled schema: the JSON Schema that clients get, and the check. */
export interface CompiledSchema {
  readonly json: JsonSchema;
  check(value: unknown): Checked | Promise<Checked>;
}

export type Checked = { readonly value: unknown } | { readonly problem: string };

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/**
 * Compiles a schema. `what` names it in errors, such as `the input of tool "reserve"`. The `format` of a JSON Schema is
 * enforced only in forms, where the protocol gives it a meaning.
 */
export function compileSchema(
  schema: Schema,
  what: string,
  direction: 'input' | 'output',
  report: (error: unknown, where: string) => void,
  checkFormats = false,
): CompiledSchema {
  if (isStandard(schema)) {
    return { json: jsonSchemaOf(schema, what, direction), check: value => checkStandard(schema, value) };
  }
  const problem = jsonSchemaProblem(schema);
  if (problem) throw new UsageError(`${what} ${problem}`);
  return { json: schema, check: compileLazily(schema, what, report, checkFormats) };
}

/**
 * Compiles a schema of results. They are checked as clients get them: a value that JSON changes, such as `NaN` or an
 * undefined member, is checked again in the form that JSON gives it.
 */
export function compileOutput(
  schema: Schema,
  what: string,
  report: (error: unknown, where: string) => void,
): CompiledSchema {
  const { json, check } = compileSchema(schema, what, 'output', report);
  const checkOutput = (checked: Checked): Checked | Promise<Checked> =>
    'problem' in checked || checked.value === undefined || isJson(checked.value)
      ? checked
      : import('./json-schema.js').then(({ checkAsJson }) => checkAsJson(json, what, checked.value));
  return { json, check: value => andThen(check(value), checkOutput) };
}

/** The JSON Schema of an author's schema. */
export function jsonSchemaOf(schema: Schema, what: string, direction: 'input' | 'output'): JsonSchema {
  if (!isStandard(schema)) return schema;
  const standard = schema['~standard'] as StandardSchemaV1.Props & Partial<StandardJSONSchemaV1.Props>;
  if (!standard.jsonSchema) throw new UsageError(`${what}: ${withoutJsonSchema(standard.vendor)}`);
  const { $schema, ...json } = convert(schema, standard.jsonSchema[direction], what, direction);
  return $schema === undefined || $schema === DIALECT ? json : { $schema, ...json };
}

/** Libraries throw for values that JSON does not have, such as dates. Finds the field that caused it, for the error. */
function convert(
  schema: StandardSchemaV1,
  toJson: StandardJSONSchemaV1.Converter['input'],
  what: string,
  direction: 'input' | 'output',
): JsonSchema {
  try {
    return toJson({ target: 'draft-2020-12' });
  } catch (cause) {
    for (const [name, field] of Object.entries(fieldsOf(schema))) {
      if (isStandard(field)) jsonSchemaOf(field, `the field "${name}" in ${what}`, direction);
    }
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`${what} has no JSON Schema: ${reason}`, { cause });
  }
}

/** The schemas of an object's fields, if the library exposes them, as zod and valibot do. */
export function fieldsOf(schema: Schema): Readonly<Record<string, Schema>> {
  type Shown = { shape?: unknown; entries?: unknown; in?: { shape?: unknown } };
  const { shape, entries, in: before } = schema as Shown;
  const fields = isStandard(schema) ? (shape ?? entries ?? before?.shape) : undefined;
  return isObject(fields) ? (fields as Record<string, Schema>) : {};
}

/** The reason why a value cannot be a JSON Schema; undefined if it can. */
function jsonSchemaProblem(schema: unknown): string | undefined {
  if (!isObject(schema) || !isPlain(schema)) return 'must be a Standard Schema or a JSON Schema object';
  const isShape = Object.values(schema).some(value => isStandard(value as Schema));
  if (isShape) return 'is an object of schemas; wrap it: z.object({ … })';
  const { $schema = DIALECT } = schema;
  const isKnown = $schema === DIALECT || $schema === `${DIALECT}#`;
  return isKnown
    ? undefined
    : `is of the JSON Schema dialect ${String($schema)}, which is not supported; use ${DIALECT}`;
}

export function isStandard(schema: Schema): schema is StandardSchemaV1 {
  // arktype's schemas are functions.
  return (
    (typeof schema === 'object' || typeof schema === 'function') && schema !== null && '~standard' in schema
  );
}

function checkStandard(schema: StandardSchemaV1, value: unknown): Checked | Promise<Checked> {
  const outcome = schema['~standard'].validate(value);
  return outcome instanceof Promise ? outcome.then(readOutcome) : readOutcome(outcome);
}

function readOutcome(outcome: StandardSchemaV1.Result<unknown>): Checked {
  return outcome.issues ? { problem: describeIssues(outcome.issues) } : { value: outcome.value };
}

/** Schema libraries repeat names that the client chose. */
const MAX_ISSUE = 500;

/** At most three problems, each with its path: enough to correct a call. */
function describeIssues(issues: readonly StandardSchemaV1.Issue[]): string {
  const shown = issues.slice(0, 3).map(({ path, message }) => {
    const place = path?.map(step => String(typeof step === 'object' ? step.key : step)).join('.');
    return clip(place && !message.startsWith(place) ? `${clip(place)}: ${message}` : message, MAX_ISSUE);
  });
  return shown.join('; ') + (issues.length > 3 ? `; and ${issues.length - 3} more` : '');
}

/**
 * The validator is loaded only if an author uses JSON Schema. Compiling starts at once, so that a broken schema is
 * reported when the server starts, not when it is used.
 */
function compileLazily(
  schema: JsonObject,
  what: string,
  report: (error: unknown, where: string) => void,
  checkFormats: boolean,
): CompiledSchema['check'] {
  let check: ((value: unknown) => Checked) | undefined;
  const compiled = import('./json-schema.js').then(({ compileAuthored }) => {
    check = compileAuthored(schema, what, checkFormats);
    return check;
  });
  const failed = compiled.catch(error => report(error, what));
  const read = Promise.all([reading, failed]).then(() => {
    if (reading === read) reading = undefined;
  });
  reading = read;
  return value => (check ? check(value) : compiled.then(ready => ready(value)));
}

let reading: Promise<void> | undefined;

/** Resolves when the JSON Schemas of authors are compiled or refused; undefined if they are. */
export function schemasRead(): Promise<void> | undefined {
  return reading;
}

const REMEDIES: ReadonlyMap<string, string> = new Map([
  ['zod', 'use zod 4.2 or newer'],
  ['arktype', 'use arktype 2.1.28 or newer'],
  ['valibot', 'wrap it with toStandardJsonSchema() from @valibot/to-json-schema 1.5 or newer'],
]);

function withoutJsonSchema(vendor: string): string {
  const remedy =
    REMEDIES.get(vendor) ?? 'use a version that offers "~standard".jsonSchema, or pass a plain JSON Schema';
  return `this ${vendor} schema does not provide its JSON Schema; ${remedy}`;
}
