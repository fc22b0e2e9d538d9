import { copyPlain } from './copy-plain.js';

/** A deep copy of a value, as JSON would transfer it, that cannot be changed. */
export function frozenCopy<T>(value: T): T {
  return freezeAll(copyPlain(value));
}

function freezeAll<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const member of Object.values(value)) freezeAll(member);
  return Object.freeze(value);
}
