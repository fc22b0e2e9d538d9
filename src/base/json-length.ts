import type { JsonObject } from './json.js';

/** Whether the JSON text of a value is longer than `limit`. It stops when that is certain, before megabytes are written. */
export function isLonger(value: unknown, limit: number): boolean {
  return spaceAfter(value, limit) < 0;
}

/** How much of some space is left after a value, at the most; negative if there is too little. */
function spaceAfter(value: unknown, space: number): number {
  if (typeof value === 'string') return space - value.length - 2;
  if (typeof value !== 'object' || value === null) return space - 1;
  let left = space - 1;
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length && left >= 0; at++) left = spaceAfter(value[at], left) - 1;
    return left;
  }
  for (const name in value) {
    const member = (value as JsonObject)[name];
    if (member !== undefined) left = spaceAfter(member, left - name.length - 4);
    if (left < 0) break;
  }
  return left;
}
