import type { JsonSchema } from 'tenon/protocol';
import { usageError } from '../failure.js';
import { closest } from '../terminal/closest.js';
import { choicesOf, describeType } from './describe-type.js';
import { alternatives, resolveSchema, typesOf } from './resolve.js';

/** Reads a text from the command line as the value that its schema wants. `name` is for messages. */
export function readValue(text: string, schema: unknown, root: JsonSchema, name: string): unknown {
  const resolved = resolveSchema(schema, root);
  const choice = readChoice(text, resolved, name);
  if (choice) return choice.value;
  const types = typesOf(resolved);
  const union = alternatives(resolved).flatMap(one => typesOf(resolveSchema(one, root)));
  const wanted = new Set(types.length > 0 ? types : union);
  const value = readAs(text, wanted);
  if (value !== undefined) return value;
  throw usageError(
    `${name} takes ${withArticle(describeType(resolved, root))}, not ${JSON.stringify(text)}`,
    formOf(wanted, name),
  );
}

/** Only the names of types that begin a description need one: values and choices stand as they are. */
function withArticle(type: string): string {
  if (/^(integer|object)\b/.test(type)) return `an ${type}`;
  return /^(number|text|list)\b/.test(type) ? `a ${type}` : type;
}

function readChoice(text: string, schema: JsonSchema, name: string): { value: unknown } | undefined {
  const choices = choicesOf(schema);
  if (!choices) return undefined;
  const found = choices.find(({ value }) => value === text) ?? choices.find(({ title }) => title === text);
  if (!found) {
    const values = choices.map(({ value }) => value);
    const near = closest(text, values);
    const next =
      near === undefined ? `Choose one of: ${values.slice(0, 50).join(', ')}` : `Did you mean "${near}"?`;
    throw usageError(`${name} cannot be ${JSON.stringify(text)}`, next);
  }
  const listed = Array.isArray(schema.enum) ? schema.enum : [];
  return {
    value:
      listed.find(value => typeof value !== 'string' && JSON.stringify(value) === found.value) ?? found.value,
  };
}

/** The first type that a text can be read as, those with the strictest form first. */
function readAs(text: string, wanted: ReadonlySet<string>): unknown {
  if (wanted.size === 0) return parseJson(text) ?? text;
  if (wanted.has('null') && text === 'null') return null;
  if (wanted.has('boolean') && BOOLEANS.has(text.toLowerCase())) return BOOLEANS.get(text.toLowerCase());
  const isNumeric = text.trim() !== '' && Number.isFinite(Number(text));
  if (wanted.has('number') && isNumeric) return Number(text);
  if (wanted.has('integer') && isNumeric && Number.isSafeInteger(Number(text))) return Number(text);
  const json = /^\s*[[{]/.test(text) ? parseJson(text) : undefined;
  if (wanted.has('array') && Array.isArray(json)) return json;
  if (wanted.has('object') && typeof json === 'object' && !Array.isArray(json)) return json;
  return wanted.has('string') ? text : undefined;
}

const BOOLEANS = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
]);

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function formOf(wanted: ReadonlySet<string>, name: string): string {
  if (wanted.has('object'))
    return `Write it as JSON (${name} '{"…": …}'), or its members one by one: ${name}.member VALUE`;
  if (wanted.has('array'))
    return `Repeat it (${name} a ${name} b), or write it as JSON: ${name} '["a", "b"]'`;
  if (wanted.has('boolean')) return `Write ${name} alone for true, or ${name} false.`;
  return 'Write a number.';
}
