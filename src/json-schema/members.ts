import { isObject, type JsonObject } from '../base/json.js';
import type { Budget } from './budget.js';
import { type Problem, within } from './problem.js';

/** The first problem that is found in a member of an object. */
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

export function namesOf(value: JsonObject, budget: Budget): readonly string[] {
  const names = Object.keys(value);
  budget.spend(20 * names.length);
  return names.every(name => value[name] !== undefined)
    ? names
    : names.filter(name => hasMember(value, name));
}

/** Whether an object has a member of its own. One that is undefined is not in the JSON of it. */
export function hasMember(value: JsonObject, name: string): boolean {
  return value[name] !== undefined && Object.hasOwn(value, name);
}
