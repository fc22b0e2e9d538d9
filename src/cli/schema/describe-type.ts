import type { JsonSchema } from 'tenon/protocol';
import { plainLine } from '../terminal/plain-text.js';
import { alternatives, resolveSchema, typesOf } from './resolve.js';

/** Schemas may be nested without end; what is shown of them is not. */
const MAX_DEPTH = 3;
const MAX_CHOICES = 12;

/** A schema in a few words, such as `integer, at least 1` or `list of texts`. */
export function describeType(schema: unknown, root: JsonSchema, depth = 0): string {
  const resolved = resolveSchema(schema, root);
  const choices = choicesOf(resolved);
  if (choices) return `one of ${shorten(choices.map(({ value }) => plainLine(value)))}`;
  if (Object.hasOwn(resolved, 'const')) return plainLine(JSON.stringify(resolved.const));
  const union = alternatives(resolved);
  if (union.length > 1 && depth < MAX_DEPTH) {
    return shorten([...new Set(union.map(one => describeType(one, root, depth + 1)))], ' or ');
  }
  const types = typesOf(resolved).filter(type => type !== 'null');
  if (types.length === 0) return resolved.properties === undefined ? 'any value' : 'object';
  return types.map(type => describeOne(type, resolved, root, depth)).join(' or ');
}

function describeOne(type: string, schema: JsonSchema, root: JsonSchema, depth: number): string {
  if (type !== 'array') return [NAMES[type] ?? type, ...boundsOf(schema)].join(', ');
  const items = depth < MAX_DEPTH ? describeType(schema.items ?? {}, root, depth + 1) : 'any value';
  return `list: ${items}`;
}

const NAMES: Readonly<Record<string, string>> = { string: 'text', boolean: 'true or false' };

function boundsOf({
  format,
  minimum,
  maximum,
  exclusiveMinimum,
  exclusiveMaximum,
  minLength,
  maxLength,
}: JsonSchema) {
  const bounds: [unknown, string][] = [
    [minimum, 'at least'],
    [exclusiveMinimum, 'more than'],
    [maximum, 'at most'],
    [exclusiveMaximum, 'less than'],
  ];
  return [
    ...(typeof format === 'string' ? [plainLine(format)] : []),
    ...bounds.flatMap(([bound, words]) =>
      typeof bound === 'number' && isNotable(bound) ? `${words} ${bound}` : [],
    ),
    ...(typeof minLength === 'number' && minLength > 1 ? [`at least ${minLength} characters`] : []),
    ...(typeof maxLength === 'number' ? [`at most ${maxLength} characters`] : []),
  ];
}

/** Libraries write the range of safe integers into the schema of every integer. */
function isNotable(bound: number): boolean {
  return Math.abs(bound) < Number.MAX_SAFE_INTEGER;
}

/** A value to choose, with its title. */
export interface Choice {
  readonly value: string;
  readonly title: string;
}

/** The texts that a schema lets one choose from; undefined if it allows others. */
export function choicesOf(schema: JsonSchema): Choice[] | undefined {
  const { enum: values, enumNames } = schema;
  if (Array.isArray(values)) {
    const titles = Array.isArray(enumNames) ? enumNames : [];
    return values.map((value, index) => ({ value: toText(value), title: toText(titles[index] ?? value) }));
  }
  const constants = alternatives(schema).map(one => one as JsonSchema);
  const areAll = constants.length > 0 && constants.every(one => typeof one === 'object' && 'const' in one);
  if (!areAll) return undefined;
  return constants.map(({ const: value, title }) => ({
    value: toText(value),
    title: toText(title ?? value),
  }));
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function shorten(parts: readonly string[], between = ', '): string {
  const shown = parts.slice(0, MAX_CHOICES).join(between);
  return parts.length > MAX_CHOICES ? `${shown}, … (${parts.length})` : shown;
}
