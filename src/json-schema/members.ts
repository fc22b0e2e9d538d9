import { isObject, type JsonObject } from '../base/json.js';
import type { Budget } from './budget.js';
import { type Problem, within } from './problem.js';

/** Returns the first problem found in a member of an object. */
export function checkMembers(
  value: unknown,
  budget: Budget,
  check: (name: string, member: unknown) => Problem | undefined,
): Problem | undefined {
  if (!isObject(value)) return undefined;
  for (const name of namesOf(value, budget)) {
    const found = check(name, value[name]);
    if (found) return within(name, found);
  }
  return undefined;
}

/** The names of the members of an object. Members that are undefined do not exist in JSON. */
export function namesOf(value: JsonObject, budget: Budget): readonly string[] {
  const names = Object.keys(value);
  budget.spend(20 * names.length);
  for (const name of names) {
    if (value[name] === undefined) return names.filter(each => value[each] !== undefined);
  }
  return names;
}

/** A member of the object itself, not of its prototype; undefined if there is none. */
export function memberOf(value: JsonObject, name: string): unknown {
  const member = value[name];
  return member !== undefined && Object.hasOwn(value, name) ? member : undefined;
}
