/** Any value that JSON can carry. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** A JSON object whose members have not been looked at yet. */
export type JsonObject = Record<string, unknown>;

/** A JSON Schema document, 2020-12 unless `$schema` says otherwise. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** Whether a value is a JSON object: not null, not an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
