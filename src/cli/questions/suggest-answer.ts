import type { ElicitFormParams, JsonSchema } from 'tenon/protocol';
import { choicesOf } from '../schema/describe-type.js';
import { exampleOf } from '../schema/field-problem.js';
import { propertiesOf, requiredOf, resolveSchema, typesOf } from '../schema/resolve.js';
import { closest } from '../terminal/closest.js';
import { plainLine } from '../terminal/plain-text.js';
import { quoteWord } from '../terminal/shell-words.js';
import { type Contents, valueProblem } from './answer-problem.js';

/** An `--answer` that fits a form: what is right in the given contents is kept, the rest are examples. */
export function suggestAnswer({ requestedSchema: form }: ElicitFormParams, given: Contents = {}): string {
  const fields = propertiesOf(form);
  if (fields.size === 0) return '--answer accept';
  const required = requiredOf(form);
  const members = [...fields].flatMap(([name, field]): [string, unknown][] => {
    const schema = resolveSchema(field, form);
    const kept = meantBy(name, given, [...fields.keys()]);
    if (kept !== undefined && valueProblem(kept, schema, form) === undefined) return [[name, kept]];
    const isWanted = kept !== undefined || required.includes(name) || required.length === 0;
    return isWanted ? [[name, exampleValue(schema, form)]] : [];
  });
  return `--answer ${quoteWord(plainLine(JSON.stringify(Object.fromEntries(members))))}`;
}

/** The value that was given for a field, also under a misspelled name. */
function meantBy(name: string, given: Contents, names: readonly string[]): unknown {
  if (Object.hasOwn(given, name)) return given[name];
  const misspelled = Object.keys(given).find(key => !names.includes(key) && closest(key, names) === name);
  return misspelled === undefined ? undefined : given[misspelled];
}

function exampleValue(schema: JsonSchema, form: JsonSchema): unknown {
  if (schema.default !== undefined) return schema.default;
  const [choice] = choicesOf(schema) ?? [];
  if (choice) return choice.value;
  switch (typesOf(schema).find(type => type !== 'null')) {
    case 'boolean':
      return true;
    case 'number':
    case 'integer':
      return (
        [1, schema.minimum, schema.maximum].find(one => valueProblem(one, schema, form) === undefined) ?? 1
      );
    case 'array': {
      const count = Math.max(1, Number(schema.minItems ?? 1));
      const items = resolveSchema(schema.items, form);
      const values = (choicesOf(items) ?? []).map(({ value }) => value);
      return values.length > 0 ? values.slice(0, count) : [exampleValue(items, form)];
    }
    default:
      return exampleOf(schema);
  }
}
