import { JsonSet } from '../equality.js';
import type { Keyword } from '../keyword.js';
import { type Check, checkNode, type Node } from '../node.js';
import { problem, some, within } from '../problem.js';

export const ARRAYS = {
  minItems(at) {
    const least = at.count();
    const text = `must have at least ${some(least, 'item')}`;
    return value => (Array.isArray(value) && value.length < least ? problem(text) : undefined);
  },

  maxItems(at) {
    const most = at.count();
    const text = `must have at most ${some(most, 'item')}`;
    return value => (Array.isArray(value) && value.length > most ? problem(text) : undefined);
  },

  prefixItems: at => checkFirst(at.nodes()),

  items(at) {
    // Draft-07 writes prefixItems like this.
    if (Array.isArray(at.operand)) {
      if (at.options.from === 'author')
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
        if (found > most)
          return problem(`must have at most ${some(most, 'item')} of the kind that it may contain`);
      }
      return found < least
        ? problem(`must have at least ${some(least, 'item')} of the kind that it must contain`)
        : undefined;
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
  return (value, run, evaluated) => {
    if (!Array.isArray(value)) return undefined;
    const end = Math.min(nodes.length, value.length);
    for (let index = 0; index < end; index++) {
      const found = checkNode(nodes[index]!, value[index], run);
      if (found) return within(index, found);
    }
    evaluated?.addItemsBefore(end);
    return undefined;
  };
}

function checkRest(node: Node, from: number): Check {
  return (value, run, evaluated) => {
    if (!Array.isArray(value)) return undefined;
    for (let index = from; index < value.length; index++) {
      const found = checkNode(node, value[index], run);
      if (found) return within(index, found);
    }
    evaluated?.addItemsBefore(value.length);
    return undefined;
  };
}
