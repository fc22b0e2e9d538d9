import { UsageError } from '../../base/errors.js';
import type { JsonObject, JsonSchema } from '../../base/json.js';
import { formProblem, shownField } from '../../protocol/form.js';
import {
  type CompiledSchema,
  compileSchema,
  type Infer,
  type InferInput,
  type Schema,
} from '../schema/schema.js';

/**
 * Accepts the schema of a form only if its fields are flat. The output type is tested first, because the compiler needs
 * it anyway; the input type, which is what users enter, may differ from it.
 */
export type FlatForm<S> =
  Infer<S> extends { readonly [field: string]: FieldValue }
    ? unknown
    : [NestedFields<InferInput<S>>] extends [never]
      ? unknown
      : { readonly 'forms are flat, but these fields are not': NestedFields<InferInput<S>> };

/** The names of the fields that are not flat, which no client can show. */
type NestedFields<T> = {
  [K in keyof T & string]-?: unknown extends T[K] ? never : T[K] extends FieldValue ? never : K;
}[keyof T & string];

type FieldValue = string | number | boolean | readonly string[] | undefined;

const compiled = new WeakMap<object, CompiledSchema>();

/**
 * Compiles a schema into a form that clients can show: a flat object of strings, numbers, booleans and choices.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/elicitation#requested-schema
 */
export function compileForm(schema: Schema): CompiledSchema {
  const known = compiled.get(schema);
  if (known) return known;
  // The user enters the input of the schema; the handler gets its output.
  const { json, check } = compileSchema(schema, 'the form of a question', 'input', throwLater, true);
  const form = { json: toForm(json), check };
  compiled.set(schema, form);
  return form;
}

function toForm(json: JsonSchema): JsonSchema {
  const problem = formProblem(json);
  if (problem) throw new UsageError(problem);
  const properties = Object.entries(json.properties as Record<string, JsonObject>);
  const fields = properties.map(([name, field]) => [name, shownField(field)]);
  const required =
    Array.isArray(json.required) && json.required.length > 0 ? { required: json.required } : {};
  return { type: 'object', properties: Object.fromEntries(fields), ...required };
}

/** The check itself rejects with the same error, so it need not be reported here. */
function throwLater(): void {}
