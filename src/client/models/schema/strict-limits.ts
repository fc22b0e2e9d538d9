import { isObject, type JsonObject } from '../../../base/json.js';

const MAX_PROPERTIES = 5_000;
const MAX_LEVELS = 10;
const MAX_ENUM_VALUES = 1_000;
const MAX_CHARACTERS = 120_000;
/** An enum with more values than this may only have short ones. */
const LONG_ENUM = 250;
const MAX_LONG_ENUM_CHARACTERS = 15_000;

/**
 * Whether a schema is small enough for a strict function of OpenAI.
 * @see https://platform.openai.com/docs/guides/structured-outputs#supported-schemas
 */
export function isWithinStrictLimits(root: JsonObject): boolean {
  let properties = 0;
  let enumValues = 0;
  let characters = 0;
  let levels = 0;
  let hasLongEnum = false;
  const visit = (schema: JsonObject, level: number): void => {
    const isNested = schema.type === 'object' || schema.type === 'array' || Array.isArray(schema.type);
    const inner = isNested ? level + 1 : level;
    levels = Math.max(levels, inner);
    const named = Object.entries((schema.properties ?? {}) as Record<string, JsonObject>);
    const definitions = Object.entries((schema.$defs ?? {}) as Record<string, JsonObject>);
    properties += named.length;
    for (const [name, member] of [...named, ...definitions]) {
      characters += name.length;
      visit(member, schema.$defs && definitions.some(([other]) => other === name) ? 0 : inner);
    }
    for (const member of (schema.anyOf ?? []) as JsonObject[]) visit(member, level);
    if (isObject(schema.items)) visit(schema.items, inner);
    const values = (schema.enum ?? []) as unknown[];
    const length = values.reduce<number>((sum, value) => sum + String(value).length, 0);
    enumValues += values.length;
    characters += length;
    if (values.length > LONG_ENUM && length > MAX_LONG_ENUM_CHARACTERS) hasLongEnum = true;
  };
  visit(root, 0);
  return (
    properties <= MAX_PROPERTIES &&
    levels <= MAX_LEVELS &&
    enumValues <= MAX_ENUM_VALUES &&
    characters <= MAX_CHARACTERS &&
    !hasLongEnum
  );
}
