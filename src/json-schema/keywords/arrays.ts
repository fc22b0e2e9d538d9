import { JsonSet } from '../equality.js';
import type { Keyword } from '../keyword.js';
import { type Check, checkNode, type Node } from '../node.js';
import { problem, within } from '../problem.js';

export const ARRAYS = {
  prefixItems: at => checkFirst(at.nodes()),

  items(at) {
    // Draft-07 writes prefixItems as a list in items.
    if (Array.isArray(at.operand)) {
      if (at.options.from === 'author' || at.dialect === '2020-12')
        throw at.refuse('must be a schema; use prefixItems for a list of them');
      return checkFirst(at.nodes());
    }
    return checkRest(at.node(), at.beside('prefixItems')?.list().length ?? 0);
  },

  additionalItems(at) {
    const node = at.node();
    const items = at.beside('items')?.operand;
    return Array.isArray(items) ? checkRest(node, items.length) : undefined;
  },

  contains(at) {
    const node = at.node();
    const least = at.beside('minContains')?.count() ?? 1;
    const most = at.beside('maxContains')?.count() ?? Number.POSITIVE_INFINITY;
    return (value, run, evaluated) => {
      if (!Array.isArray(value)) return undefined;
      let found = 0;
      for (const [index, item] of value.entries()) {
        if (checkNode(node, item, run)) continue;
        found++;
        evaluated?.addItem(index);
      }
      if (found >= least && found <= most) return undefined;
      const limit = found < least ? `least ${least}` : `most ${most}`;
      return problem(`must have at ${limit} of the items that "contains" describes`);
    };
  },

  uniqueItems(at) {
    if (!at.boolean()) return undefined;
    return (value, { budget }) => {
      if (!Array.isArray(value)) return undefined;
      const known = new JsonSet();
      for (const [index, item] of value.entries()) {
        if (!known.add(item, budget))
          return within(index, problem('must not be the same as an earlier item'));
      }
      return undefined;
    };
  },
} satisfies Record<string, Keyword>;

function checkFirst(nodes: readonly Node[]): Check {
  return checkItems(0, nodes.length, index => nodes[index]!);
}

function checkRest(node: Node, from: number): Check {
  return checkItems(from, Number.POSITIVE_INFINITY, () => node);
}

function checkItems(from: number, to: number, nodeAt: (index: number) => Node): Check {
  return (value, run, evaluated) => {
    if (!Array.isArray(value)) return undefined;
    const end = Math.min(to, value.length);
    for (let index = from; index < end; index++) {
      const found = checkNode(nodeAt(index), value[index], run);
      if (found) return within(index, found);
    }
    evaluated?.addItemsBefore(end);
    return undefined;
  };
}
