import type { Evaluated } from '../evaluated.js';
import type { Keyword } from '../keyword.js';
import { checkNode, type Node, type SchemaResource } from '../node.js';
import type { Place } from '../place.js';
import type { Problem } from '../problem.js';
import type { Run } from '../run.js';

export const REFERENCES = {
  $defs: readSchemas,
  definitions: readSchemas,

  $ref(at) {
    const reference = at.reference();
    return (value, run, evaluated) => follow(reference.target!, value, run, evaluated);
  },

  $dynamicRef(at) {
    const reference = at.reference();
    return (value, run, evaluated) => {
      run.budget.spend(run.scope.length);
      const target = findOutermost(reference.dynamicAnchor, run.scope) ?? reference.target!;
      return follow(target, value, run, evaluated);
    };
  },
} satisfies Record<string, Keyword>;

/** These schemas do nothing where they stand, but references may lead to them. */
function readSchemas(at: Place): undefined {
  for (const [, member] of at.members()) member.node();
}

function findOutermost(anchor: string | undefined, scope: readonly SchemaResource[]): Node | undefined {
  if (anchor === undefined) return undefined;
  return scope.find(resource => resource.dynamicAnchors.has(anchor))?.dynamicAnchors.get(anchor);
}

function follow(
  target: Node,
  value: unknown,
  run: Run,
  evaluated: Evaluated | undefined,
): Problem | undefined {
  run.follow(target, value);
  const found = checkNode(target, value, run, evaluated);
  run.unfollow();
  return found;
}
