import type { Keyword } from '../keyword.js';
import { checkMembers } from '../members.js';
import { checkNode } from '../node.js';
import { within } from '../problem.js';

/** Keywords for the members that no other keyword of the same schema has evaluated. */
export const UNEVALUATED = {
  unevaluatedItems(at) {
    const node = at.node();
    return (value, run, evaluated) => {
      if (!Array.isArray(value)) return undefined;
      run.budget.spend(value.length);
      for (const [index, item] of value.entries()) {
        const found = evaluated?.hasItem(index) ? undefined : checkNode(node, item, run);
        if (found) return within(index, found);
      }
      evaluated?.addItemsBefore(value.length);
      return undefined;
    };
  },

  unevaluatedProperties(at) {
    const node = at.node();
    return (value, run, evaluated) =>
      checkMembers(value, run.budget, (name, member) => {
        if (evaluated?.properties.has(name)) return undefined;
        evaluated?.properties.add(name);
        return checkNode(node, member, run);
      });
  },
} satisfies Record<string, Keyword>;
