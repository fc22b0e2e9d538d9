import { Evaluated } from '../evaluated.js';
import type { Keyword } from '../keyword.js';
import { checkNode, type Node } from '../node.js';
import { problem } from '../problem.js';
import type { Run } from '../run.js';

export const LOGIC = {
  allOf(at) {
    const nodes = at.nodes();
    return (value, run, evaluated) => {
      for (const node of nodes) {
        const found = checkNode(node, value, run, evaluated);
        if (found) return found;
      }
      return undefined;
    };
  },

  anyOf(at) {
    const nodes = at.nodes();
    const text = `must fit at least one of ${nodes.length} alternatives`;
    return (value, run, evaluated) => {
      let isFit = false;
      for (const node of nodes) {
        isFit = fits(node, value, run, evaluated) || isFit;
        // The other alternatives need to run only if their evaluated members are collected.
        if (isFit && !evaluated) break;
      }
      return isFit ? undefined : problem(text);
    };
  },

  oneOf(at) {
    const nodes = at.nodes();
    const text = `must fit exactly one of ${nodes.length} alternatives`;
    return (value, run, evaluated) => {
      let fitting = 0;
      for (const node of nodes) {
        if (fits(node, value, run, evaluated)) fitting++;
        if (fitting > 1) return problem(`${text}, but fits several`);
      }
      return fitting === 1 ? undefined : problem(`${text}, but fits none`);
    };
  },

  not(at) {
    const node = at.node();
    return (value, run) => (fits(node, value, run) ? problem('must not fit the schema in "not"') : undefined);
  },

  if(at) {
    const condition = at.node();
    const then = at.beside('then')?.node();
    const otherwise = at.beside('else')?.node();
    return (value, run, evaluated) => {
      const branch = fits(condition, value, run, evaluated) ? then : otherwise;
      return branch && checkNode(branch, value, run, evaluated);
    };
  },
  // Without `if` they do nothing, but references may lead to them.
  // biome-ignore lint/suspicious/noThenProperty: that is what the keyword is called.
  then: at => void at.node(),
  else: at => void at.node(),
} satisfies Record<string, Keyword>;

/** Whether a value fits. Members that a schema has evaluated count only if the value fits it. */
function fits(node: Node, value: unknown, run: Run, evaluated?: Evaluated): boolean {
  const own = evaluated && new Evaluated();
  if (checkNode(node, value, run, own)) return false;
  if (own) evaluated.add(own, run.budget);
  return true;
}
