import { isObject, type JsonObject } from '../../../base/json.js';
import type { Schema } from './clean.js';
import { jsonText, mustMatch } from './describe.js';
import { mergeSchemas } from './merge.js';
import { expandReferences, resolveReference } from './references.js';
import { TooComplex } from './too-complex.js';

/** The schema of a tool's arguments as an object without references, alternatives or conditions at its top. */
export interface RootObject {
  schema: JsonObject;
  /** Constraints that no longer stand in the schema, in words. */
  notes: string[];
}

const MAX_STEPS = 20;

/** No vendor takes `$ref`, `allOf`, `anyOf`, `oneOf`, `not`, `enum` or `const` at the top. */
export function toRootObject(root: JsonObject): RootObject {
  const notes: string[] = [];
  let schema = inlineTop(root, root, notes);
  for (const keyword of ['anyOf', 'oneOf'] as const) {
    const { [keyword]: alternatives, ...rest } = schema;
    if (!Array.isArray(alternatives)) continue;
    const choices = alternatives.map(choice => inlineTop(choice, root, []));
    const amount = keyword === 'oneOf' ? 'exactly one' : 'at least one';
    notes.push(
      `The arguments must match ${amount} of these JSON Schemas: ${jsonText(expandReferences(alternatives, root))}`,
    );
    schema = gatherChoices(rest, choices);
  }
  const { not, enum: values, const: value, type, ...rest } = schema;
  const banned = { ...(not !== undefined && { not }), ...(values !== undefined && { enum: values }) };
  const refused = value === undefined ? banned : { ...banned, const: value };
  if (Object.keys(refused).length > 0) notes.push(mustMatch(expandReferences(refused, root)));
  return { schema: { type: 'object', ...rest }, notes };
}

/** A schema with what its `$ref` and its `allOf` say in its own keywords. */
function inlineTop(schema: Schema, root: JsonObject, notes: string[]): JsonObject {
  let inlined = isObject(schema) ? schema : {};
  for (let step = 0; inlined.$ref !== undefined || inlined.allOf !== undefined; step++) {
    if (step > MAX_STEPS) throw new TooComplex();
    const { $ref, allOf = [], ...own } = inlined;
    const targets = $ref === undefined ? [] : [resolveReference($ref as string, root) as Schema];
    inlined = own;
    for (const part of [...targets, ...(allOf as Schema[])]) {
      const { merged, rest } = mergeSchemas(inlined, isObject(part) ? part : {});
      if (Object.keys(rest).length > 0) notes.push(mustMatch(expandReferences(rest, root)));
      inlined = merged;
    }
  }
  return inlined;
}

/** The properties of all alternatives in one object; required is only what every alternative requires. */
function gatherChoices(base: JsonObject, choices: readonly JsonObject[]): JsonObject {
  const own = (base.properties ?? {}) as Record<string, Schema>;
  const found = new Map<string, Schema[]>();
  for (const { properties = {} } of choices) {
    for (const [name, schema] of Object.entries(properties as Record<string, Schema>)) {
      if (!Object.hasOwn(own, name)) found.set(name, [...(found.get(name) ?? []), schema]);
    }
  }
  const gathered = [...found].map(([name, schemas]) => [name, oneSchema(schemas)]);
  const [first = {}, ...others] = choices;
  const shared = ((first.required ?? []) as string[]).filter(name =>
    others.every(({ required = [] }) => (required as string[]).includes(name)),
  );
  return {
    ...base,
    properties: { ...own, ...Object.fromEntries(gathered) },
    required: [...new Set([...((base.required ?? []) as string[]), ...shared])],
  };
}

function oneSchema(schemas: readonly Schema[]): Schema {
  const different = [...new Map(schemas.map(schema => [JSON.stringify(schema), schema])).values()];
  return different.length === 1 ? (different[0] as Schema) : { anyOf: different };
}
