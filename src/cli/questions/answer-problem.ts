import type { JsonSchema } from 'tenon/protocol';
import { choicesOf } from '../schema/describe-type.js';
import { countProblem, numberProblem, textProblem } from '../schema/field-problem.js';
import { propertiesOf, requiredOf, resolveSchema, typesOf } from '../schema/resolve.js';
import { closest } from '../terminal/closest.js';
import { plainLine } from '../terminal/plain-text.js';

/** The contents of a form, by the names of its fields. */
export type Contents = Readonly<Record<string, unknown>>;

/** Why contents do not fit a form; undefined if they do. The client checks the whole answer once more. */
export function answerProblem(contents: Contents, form: JsonSchema): string | undefined {
  const fields = propertiesOf(form);
  const names = [...fields.keys()];
  for (const [name, value] of Object.entries(contents)) {
    if (!fields.has(name)) return unknownField(name, names);
    const problem = valueProblem(value, resolveSchema(fields.get(name), form), form);
    if (problem) return `${plainLine(name)} cannot be ${shorten(value)} (${problem})`;
  }
  const missing = requiredOf(form).filter(
    name => !Object.hasOwn(contents, name) && resolveSchema(fields.get(name), form).default === undefined,
  );
  return missing.length > 0 ? `${missing.map(plainLine).join(', ')} is missing` : undefined;
}

/** Why a value does not fit a field; undefined if it does. */
export function valueProblem(value: unknown, schema: JsonSchema, form: JsonSchema): string | undefined {
  const choices = choicesOf(schema);
  const types = typesOf(schema);
  if (choices)
    return choices.some(choice => choice.value === value) ? undefined : 'it is not among the choices';
  if (types.includes('null') && value === null) return undefined;
  switch (types.find(type => type !== 'null')) {
    case 'string':
      return typeof value === 'string' ? textProblem(value, schema) : 'a text, please';
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'true or false, please';
    case 'number':
    case 'integer':
      return typeof value === 'number' ? numberProblem(String(value), schema) : 'a number, please';
    case 'array':
      return listProblem(value, schema, form);
    default:
      return undefined;
  }
}

function listProblem(value: unknown, schema: JsonSchema, form: JsonSchema): string | undefined {
  if (!Array.isArray(value)) return 'a list, please';
  const items = resolveSchema(schema.items, form);
  const wrong = value.find(item => valueProblem(item, items, form) !== undefined);
  return wrong === undefined
    ? countProblem(value.length, schema)
    : `${shorten(wrong)}: ${valueProblem(wrong, items, form)}`;
}

function unknownField(name: string, names: readonly string[]): string {
  const near = closest(name, names);
  const hint = near === undefined ? '' : `; did you mean "${plainLine(near)}"?`;
  return `the form has no field "${plainLine(name)}"${hint}`;
}

function shorten(value: unknown): string {
  return plainLine(JSON.stringify(value)).slice(0, 100);
}
