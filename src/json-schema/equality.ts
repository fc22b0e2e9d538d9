import { isObject } from '../base/json.js';
import type { Budget } from './budget.js';
import { SchemaRefused } from './refusal.js';

const MAX_DEPTH = 256;

/** The same for equal JSON values, different for others, so that a `Set` can tell them apart. */
export function identity(value: unknown, budget: Budget): unknown {
  if (typeof value === 'object' && value !== null) return textOf(value, budget, 0);
  budget.spend(5);
  if (typeof value !== 'string') return value;
  budget.spend(value.length >> 3);
  return `"${value}`;
}

/** JSON with the keys of objects in order. */
function textOf(value: unknown, budget: Budget, depth: number): string {
  if (depth > MAX_DEPTH)
    throw new SchemaRefused('too-complex', '#', 'too complex to compare: nested too deeply');
  budget.spend(20);
  if (Array.isArray(value)) {
    let items = '';
    for (const item of value) items += `${textOf(item, budget, depth + 1)},`;
    return `[${items}]`;
  }
  if (isObject(value)) {
    const keys = Object.keys(value);
    // Sorting compares each key about as often as there are digits in their number.
    budget.spend(keys.length * (30 + 5 * Math.log2(keys.length + 1)));
    let members = '';
    for (const key of keys.sort()) {
      members += `${quote(key, budget)}:${textOf(value[key], budget, depth + 1)},`;
    }
    return `{${members}}`;
  }
  return typeof value === 'string' ? quote(value, budget) : String(Object.is(value, -0) ? 0 : value);
}

function quote(text: string, budget: Budget): string {
  budget.spend(text.length >> 2);
  return JSON.stringify(text);
}
