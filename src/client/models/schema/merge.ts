import { canonicalText } from '../../../base/canonical.js';
import { isObject, type JsonObject } from '../../../base/json.js';
import type { Schema } from './clean.js';

/** Two schemas as one that both accept; `rest` has the keywords of the second that could not be merged. */
export function mergeSchemas(one: JsonObject, other: JsonObject): { merged: JsonObject; rest: JsonObject } {
  const merged: JsonObject = { ...one };
  const rest: JsonObject = {};
  for (const [keyword, value] of Object.entries(other)) {
    const present = merged[keyword];
    if (present === undefined) merged[keyword] = value;
    else if (canonicalText(present) !== canonicalText(value)) {
      const joined = joinKeyword(keyword, present, value);
      if (joined === undefined) rest[keyword] = value;
      else merged[keyword] = joined;
    }
  }
  return { merged, rest };
}

/** Both values of a keyword as one; undefined if no value says the same. */
function joinKeyword(keyword: string, one: unknown, other: unknown): unknown {
  switch (keyword) {
    case 'properties':
      return joinProperties(one as Record<string, Schema>, other as Record<string, Schema>);
    case '$defs':
    case 'definitions':
      return { ...(other as JsonObject), ...(one as JsonObject) };
    case 'required':
      return [...new Set([...(one as string[]), ...(other as string[])])];
    case 'type':
      return joinTypes([one].flat() as string[], [other].flat() as string[]);
    case 'enum':
      return common(one as unknown[], other as unknown[]);
    case 'allOf':
      return [...(one as Schema[]), ...(other as Schema[])];
    case 'description':
      return `${one}\n${other}`;
    case 'title':
    case 'default':
    case 'examples':
      return one;
    case 'minimum':
    case 'exclusiveMinimum':
    case 'minLength':
    case 'minItems':
    case 'minProperties':
      return Math.max(one as number, other as number);
    case 'maximum':
    case 'exclusiveMaximum':
    case 'maxLength':
    case 'maxItems':
    case 'maxProperties':
      return Math.min(one as number, other as number);
    case 'additionalProperties':
      return one === false || other === false
        ? false
        : isEmpty(one)
          ? other
          : isEmpty(other)
            ? one
            : undefined;
    default:
      return undefined;
  }
}

function joinProperties(one: Record<string, Schema>, other: Record<string, Schema>): Record<string, Schema> {
  const joined = new Map(Object.entries(one));
  for (const [name, schema] of Object.entries(other)) {
    const present = joined.get(name);
    joined.set(name, present === undefined ? schema : { allOf: [present, schema] });
  }
  return Object.fromEntries(joined);
}

function joinTypes(one: readonly string[], other: readonly string[]): unknown {
  const accepts = (types: readonly string[], type: string) =>
    types.includes(type) || (type === 'integer' && types.includes('number'));
  const both = [...new Set([...one, ...other])].filter(type => accepts(one, type) && accepts(other, type));
  if (both.length === 0) return undefined;
  return both.length === 1 ? both[0] : both;
}

function common(one: readonly unknown[], other: readonly unknown[]): unknown[] | undefined {
  const texts = new Set(other.map(canonicalText));
  const both = one.filter(value => texts.has(canonicalText(value)));
  return both.length > 0 ? both : undefined;
}

function isEmpty(schema: unknown): boolean {
  return schema === true || (isObject(schema) && Object.keys(schema).length === 0);
}
