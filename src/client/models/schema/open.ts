import { isObject, type JsonObject } from '../../../base/json.js';
import { modelNames } from '../names.js';
import { mapSubschemas, type Schema } from './clean.js';
import { mustMatch, withNotes } from './describe.js';
import { expandReferences } from './references.js';
import type { Rewritten } from './rewritten.js';
import { toRootObject } from './root.js';

/**
 * The schema of a tool's arguments for a vendor that takes all of JSON Schema 2020-12 below the top. Only the top is
 * changed, and properties there whose names the vendor refuses.
 */
export function rewriteTop(root: JsonObject, propertyNames: RegExp): Rewritten & { notes: string[] } {
  const { schema, notes } = toRootObject(root);
  const names = modelNames(Object.keys(schema.properties ?? {}), propertyNames);
  const originals = new Map([...names].map(([name, modelName]) => [modelName, name]));
  const restore = (value: unknown): unknown =>
    isObject(value)
      ? Object.fromEntries(
          Object.entries(value).map(([name, member]) => [originals.get(name) ?? name, member]),
        )
      : value;
  const isRenamed = [...names].some(([name, modelName]) => name !== modelName);
  const renamed = isRenamed ? renameTop(schema, names, root) : { schema, notes: [] };
  const whole = isRenamed || isRebuilt(root) ? keepTargets(renamed.schema, root) : renamed.schema;
  return {
    // OpenAI refuses an object without `properties` at the top.
    schema: { properties: {}, ...(completeArrays(whole) as JsonObject) },
    notes: [...notes, ...renamed.notes],
    restore,
    fits: isObject,
  };
}

function isRebuilt(root: JsonObject): boolean {
  return Object.keys(root).some(keyword => ['$ref', 'allOf', 'anyOf', 'oneOf'].includes(keyword));
}

/** If the top was rebuilt or has other names, references into the original lead to a copy of it. */
function keepTargets(schema: JsonObject, root: JsonObject): JsonObject {
  if (!JSON.stringify(root).includes('"$ref"')) return schema;
  const { $defs, definitions, ...rest } = schema;
  return {
    ...(moveReferences(rest) as JsonObject),
    $defs: { original: moveReferences(root) },
  };
}

function moveReferences(schema: Schema): Schema {
  if (typeof schema === 'boolean') return schema;
  const moved = mapSubschemas(schema, moveReferences);
  return moved.$ref === undefined
    ? moved
    : { ...moved, $ref: `#/$defs/original${(moved.$ref as string).slice(1)}` };
}

/** OpenAI refuses arrays without a schema of their items. */
function completeArrays(schema: Schema): Schema {
  if (typeof schema === 'boolean') return schema;
  const mapped = mapSubschemas(schema, completeArrays);
  const { items = true, prefixItems = [], maxItems = Number.POSITIVE_INFINITY } = mapped;
  if (![mapped.type].flat().includes('array') || typeof items !== 'boolean') return mapped;
  const places = (prefixItems as Schema[]).length;
  return { ...mapped, items: {}, ...(!items && { maxItems: Math.min(maxItems as number, places) }) };
}

/** Keywords that name properties; they cannot stay when names change. */
const NAMING = [
  'if',
  'then',
  'else',
  'dependentRequired',
  'dependentSchemas',
  'patternProperties',
  'propertyNames',
];

function renameTop(
  schema: JsonObject,
  names: ReadonlyMap<string, string>,
  root: JsonObject,
): { schema: JsonObject; notes: string[] } {
  const rest = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !NAMING.includes(keyword)));
  const left = Object.fromEntries(Object.entries(schema).filter(([keyword]) => NAMING.includes(keyword)));
  const properties = Object.entries(schema.properties as Record<string, Schema>).map(([name, member]) => {
    const modelName = names.get(name) as string;
    if (name === modelName) return [name, member];
    return [modelName, withNotes(isObject(member) ? member : {}, [`Its name is ${JSON.stringify(name)}.`])];
  });
  const required = schema.required as string[] | undefined;
  return {
    schema: {
      ...rest,
      properties: Object.fromEntries(properties),
      ...(required && { required: required.map(name => names.get(name) ?? name) }),
    },
    notes: Object.keys(left).length > 0 ? [mustMatch(expandReferences(left, root))] : [],
  };
}
