import { isObject } from '../../base/json.js';
import type { Budget } from '../budget.js';
import type { Keyword } from '../keyword.js';
import { namesOf } from '../members.js';
import { problem, some } from '../problem.js';

/** Keywords that limit the size of a value. */
export const SIZES = {
  ...limits('Length', 'character', 'characters', countCharacters),
  ...limits('Items', 'item', 'items', value => (Array.isArray(value) ? value.length : undefined)),
  ...limits('Properties', 'property', 'properties', (value, _, budget) =>
    isObject(value) ? namesOf(value, budget).length : undefined,
  ),
} satisfies Record<string, Keyword>;

/** The size of a value, if it has one. It need not be exact where it is far from the limit. */
type Measure = (value: unknown, limit: number, budget: Budget) => number | undefined;

function limits(name: string, one: string, many: string, measure: Measure): Record<string, Keyword> {
  const limit =
    (relation: string, sign: number): Keyword =>
    at => {
      const count = at.count();
      const text = `must have at ${relation} ${some(count, one, many)}`;
      return (value, { budget }) =>
        sign * ((measure(value, count, budget) ?? count) - count) < 0 ? problem(text) : undefined;
    };
  return { [`min${name}`]: limit('least', 1), [`max${name}`]: limit('most', -1) };
}

/** A character takes one or two units of a string, so most lengths can be judged without counting. */
function countCharacters(value: unknown, limit: number, budget: Budget): number | undefined {
  if (typeof value !== 'string') return undefined;
  const { length } = value;
  if (length < limit || length > 2 * limit) return length > 2 * limit ? limit + 1 : length;
  budget.spend(length >> 3);
  let count = length;
  for (let at = 0; at < length; at++) {
    if (value.codePointAt(at)! > 0xffff) {
      count--;
      at++;
    }
  }
  return count;
}
