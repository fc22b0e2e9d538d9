import { clip } from './clip.js';
import { UsageError } from './errors.js';
import { messageOf } from './thrown.js';

/** Any value that JSON can carry. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** A type as far as JSON carries it. A type with functions, such as Date, is not assignable to it. */
export type JsonOnly<T> = unknown extends T
  ? T
  : T extends Json | undefined | void
    ? T
    : T extends bigint | symbol | ((...args: never[]) => unknown)
      ? never
      : { [K in keyof T]: JsonOnly<T[K]> };

/** A JSON object whose members have not been checked yet. */
export type JsonObject = Record<string, unknown>;

/** A JSON Schema document, 2020-12 unless `$schema` says otherwise. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** Whether a value is a JSON object: not null, not an array. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether a value is a whole number, 0 or more. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** A value in quotes, shortened for a message. */
export function quoteBriefly(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(clip(value));
  if (Array.isArray(value)) return 'an array';
  return isObject(value) ? 'an object' : clip(String(value));
}

/** A deep copy of a value, as JSON would transfer it; undefined for a value that JSON leaves out. */
export function copyJson<T>(value: T): T {
  const text: string | undefined = writeJson(value, 'a value');
  return text === undefined ? (undefined as T) : JSON.parse(text);
}

/** A value as JSON. Throws if JSON cannot carry it; `what` names it in the message. */
export function writeJson(value: unknown, what: string): string {
  try {
    return JSON.stringify(value);
  } catch (cause) {
    const [why] = messageOf(cause).split('\n');
    throw new UsageError(`${what} cannot be written as JSON: ${why}`, { cause });
  }
}

/** How deep a value that a program sends or keeps may be nested. */
export const MAX_JSON_DEPTH = 256;

/** Whether JSON carries a value without changing it: nothing is left out, and no number becomes null. */
export function isJson(value: unknown, depth = 0): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object') return typeof value === 'string' || typeof value === 'boolean';
  if (value === null) return true;
  // A circular value has no end.
  if (depth > MAX_JSON_DEPTH) return false;
  if (!Array.isArray(value) && !isPlain(value)) return false;
  for (const member of Array.isArray(value) ? value : Object.values(value)) {
    if (!isJson(member, depth + 1)) return false;
  }
  return true;
}

/** A value as JSON carries it: the value itself if nothing changes, otherwise a copy. */
export function asJson<T>(value: T): T {
  return isJson(value) ? value : copyJson(value);
}

/** Whether an object is a plain one, not an instance of a class. */
export function isPlain(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
