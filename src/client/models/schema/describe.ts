import { clip } from '../../../base/clip.js';
import type { JsonObject } from '../../../base/json.js';
import { MAX_DESCRIBED_CHARACTERS } from '../limits.js';

/** A schema with notes for the model at the end of its description. */
export function withNotes(schema: JsonObject, notes: readonly string[]): JsonObject {
  const description = joinNotes(schema.description as string | undefined, notes);
  return description === undefined ? schema : { ...schema, description };
}

/** A description with notes after it, one to a line. */
export function joinNotes(description: string | undefined, notes: readonly string[]): string | undefined {
  return [description, ...notes].filter(Boolean).join('\n') || undefined;
}

/** A schema with the keywords that it cannot contain told in its description. */
export function describeRest(schema: JsonObject, rest: JsonObject): JsonObject {
  return Object.keys(rest).length === 0 ? schema : withNotes(schema, [mustMatch(rest)]);
}

/** A note for constraints that the schema of the vendor cannot express. */
export function mustMatch(constraints: unknown): string {
  return `Must also match this JSON Schema: ${jsonText(constraints)}`;
}

/** The JSON text of a value, shortened. */
export function jsonText(value: unknown): string {
  return clip(JSON.stringify(value), MAX_DESCRIBED_CHARACTERS);
}
