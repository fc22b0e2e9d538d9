import { copyJson, isObject, isPlain, type JsonObject } from './json.js';

/** The same as `copyJson`, for large values of plain objects: it does not copy their strings. */
export function copyPlain<T>(value: T): T;
export function copyPlain(value: unknown): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (Array.isArray(value)) return value.map(item => copyPlain(item) ?? null);
  if (!isObject(value) || !isPlain(value) || typeof value.toJSON === 'function') return copyJson(value);
  const copy: JsonObject = {};
  for (const name of Object.keys(value)) {
    const member = copyPlain(value[name]);
    if (member === undefined) continue;
    if (name !== '__proto__') copy[name] = member;
    else
      Object.defineProperty(copy, name, {
        value: member,
        enumerable: true,
        writable: true,
        configurable: true,
      });
  }
  return copy;
}
