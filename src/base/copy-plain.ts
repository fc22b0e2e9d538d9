import { copyJson, isObject, isPlain, type JsonObject } from './json.js';

/** The same as `copyJson`, for large values of plain objects: it does not copy their strings. */
export function copyPlain<T>(value: T): T;
export function copyPlain(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (value == null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map(item => copyPlain(item) ?? null);
  if (!isObject(value) || !isPlain(value) || 'toJSON' in value) return copyJson(value);
  // Assigning to this name changes the prototype, unless there is a member of that name.
  const copy: JsonObject = Object.hasOwn(value, '__proto__') ? { ['__proto__']: 0 } : {};
  for (const name in value) {
    const member = copyPlain(value[name]);
    if (member !== undefined) copy[name] = member;
  }
  return copy;
}
