import { isObject } from '../../base/json.js';

/** Upper estimates of what V8 takes for an array or object, for a name with its value, and for a value in a list. */
const CONTAINER_BYTES = 48;
const NAME_BYTES = 64;
const VALUE_BYTES = 12;
/** A text with one character outside of Latin-1 takes two bytes for each. */
const CHARACTER_BYTES = 2;

/** About how many bytes of memory a JSON value takes. */
export function weigh(value: unknown): number {
  if (typeof value === 'string') return value.length * CHARACTER_BYTES;
  let bytes = CONTAINER_BYTES;
  if (Array.isArray(value)) for (const item of value) bytes += VALUE_BYTES + weigh(item);
  else if (isObject(value))
    for (const name in value) bytes += NAME_BYTES + name.length * CHARACTER_BYTES + weigh(value[name]);
  else return 0;
  return bytes;
}
