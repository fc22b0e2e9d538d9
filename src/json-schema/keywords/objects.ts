import { clip } from '../../base/clip.js';
import { isObject } from '../../base/json.js';
import type { Keyword } from '../keyword.js';
import { checkMembers, memberOf } from '../members.js';
import { type Check, checkNode, checkSame } from '../node.js';
import type { Place } from '../place.js';
import { problem, within } from '../problem.js';

export const OBJECTS = {
  required: at => checkRequired(at.strings()),

  propertyNames(at) {
    const node = at.node();
    return (value, run) => checkMembers(value, run.budget, name => checkNode(node, name, run));
  },

  properties(at) {
    const nodes = at.members().map(([name, member]) => ({ name, node: member.node() }));
    return (value, run, evaluated) => {
      if (!isObject(value)) return undefined;
      run.budget.spend(2 * nodes.length);
      for (const { name, node } of nodes) {
        const member = memberOf(value, name);
        if (member === undefined) continue;
        const found = checkNode(node, member, run);
        if (found) return within(name, found);
        evaluated?.properties.add(name);
      }
      return undefined;
    };
  },

  patternProperties(at) {
    const nodes = at.members().map(([source, member]) => [member.pattern(source), member.node()] as const);
    return (value, run, evaluated) =>
      checkMembers(value, run.budget, (name, member) => {
        for (const [pattern, node] of nodes) {
          const matches = pattern.test(name, run.budget);
          if (matches === false) continue;
          evaluated?.properties.add(name);
          const found = matches && checkNode(node, member, run);
          if (found) return found;
        }
        return undefined;
      });
  },

  additionalProperties(at) {
    const node = at.node();
    const names = new Set(
      at
        .beside('properties')
        ?.members()
        .map(([name]) => name),
    );
    const patterns =
      at
        .beside('patternProperties')
        ?.members()
        .map(([source, member]) => member.pattern(source)) ?? [];
    return (value, run, evaluated) =>
      checkMembers(value, run.budget, (name, member) => {
        if (names.has(name) || patterns.some(pattern => pattern.test(name, run.budget) !== false))
          return undefined;
        evaluated?.properties.add(name);
        return checkNode(node, member, run);
      });
  },

  dependentRequired: at => checkDependents(at, member => checkRequired(member.strings())),
  dependentSchemas: at => checkDependents(at, member => checkSame(member.node())),
  // Draft-07 has both under one name.
  dependencies: at =>
    checkDependents(at, member =>
      Array.isArray(member.operand) ? checkRequired(member.strings()) : checkSame(member.node()),
    ),
} satisfies Record<string, Keyword>;

function checkRequired(names: readonly string[]): Check {
  return (value, { budget }) => {
    if (!isObject(value)) return undefined;
    budget.spend(2 * names.length);
    const missing = names.find(name => memberOf(value, name) === undefined);
    return missing === undefined ? undefined : problem(`must have the property "${clip(missing, 60)}"`);
  };
}

/** Applies a check to an object that has a certain property. */
function checkDependents(at: Place, read: (member: Place) => Check): Check {
  const dependents = at.members().map(([name, member]) => [name, read(member)] as const);
  return (value, run, evaluated) => {
    if (!isObject(value)) return undefined;
    run.budget.spend(2 * dependents.length);
    for (const [name, check] of dependents) {
      const found = memberOf(value, name) !== undefined && check(value, run, evaluated);
      if (found) return found;
    }
    return undefined;
  };
}
