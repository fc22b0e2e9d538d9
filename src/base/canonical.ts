import { isObject, isPlain, MAX_JSON_DEPTH } from './json.js';

/** The JSON text of a value with sorted object keys, so that equal values have equal texts. */
export function canonicalText(value: unknown): string {
  if (Array.isArray(value)) {
    if (value.every(isPlainText)) return JSON.stringify(value);
    return `[${value.map(item => canonicalText(item ?? null)).join(',')}]`;
  }
  // JSON.stringify would write `Infinity`, a number that is too large, as null.
  if (typeof value === 'number') return String(value);
  if (!isObject(value)) return JSON.stringify(value) ?? 'null';
  const keys = Object.keys(value);
  let members = '';
  if (keys.length > 1) keys.sort();
  for (const key of keys) {
    if (value[key] === undefined) continue;
    members += `${members && ','}${JSON.stringify(key)}:${canonicalText(value[key])}`;
  }
  return `{${members}}`;
}

/** Whether `JSON.stringify` writes a value as `canonicalText` does, only faster. */
function isPlainText(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value === 'string' || typeof value === 'boolean' || value === null;
}

/**
 * A short fingerprint of a text: two 32-bit hashes, one of them FNV-1a. It is not cryptographic: use it only where an
 * attacker gains nothing from a collision.
 */
export function fingerprint(text: string): string {
  // Signed, so that engines keep them as small integers.
  let low = 0x811c9dc5 | 0;
  let high = 0xcbf29ce4 | 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ (code + at), 0x85ebca6b);
  }
  return `${(low >>> 0).toString(36)}${(high >>> 0).toString(36)}`;
}

/** Describes the first part of a value that JSON cannot carry faithfully; undefined if there is none. */
export function findNonJson(
  value: unknown,
  path = 'the value',
  inside: readonly unknown[] = [],
): string | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : `${path} is ${value}`;
  if (inside.includes(value)) return `${path} is a circular reference`;
  if (inside.length > MAX_JSON_DEPTH) return `it is nested more than ${MAX_JSON_DEPTH} levels deep`;
  const deeper = [...inside, value];
  if (Array.isArray(value)) {
    return firstProblem(
      [...value].map((item, at) => [`${path}[${at}]`, item]),
      deeper,
    );
  }
  if (isObject(value) && isPlain(value)) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return firstProblem(
      members.map(([key, member]) => [`${path}.${key}`, member]),
      deeper,
    );
  }
  return `${path} is ${describe(value)}`;
}

function firstProblem(members: [string, unknown][], inside: readonly unknown[]): string | undefined {
  for (const [path, member] of members) {
    const problem = findNonJson(member, path, inside);
    if (problem) return problem;
  }
  return undefined;
}

function describe(value: unknown): string {
  if (value === undefined) return 'undefined';
  if (typeof value !== 'object' || value === null) return `a ${typeof value}`;
  return `a ${value.constructor?.name ?? 'special object'}`;
}
