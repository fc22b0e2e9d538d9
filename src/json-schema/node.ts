import { Evaluated } from './evaluated.js';
import type { Place } from './place.js';
import type { Problem } from './problem.js';
import type { Run } from './run.js';

/** Looks for a problem. If `evaluated` is given, the check adds the members that it has evaluated. */
export type Check = (value: unknown, run: Run, evaluated?: Evaluated) => Problem | undefined;

/** A schema or subschema, compiled. */
export interface Node {
  /** Where it is in the document. */
  readonly at: Place;
  readonly resource: SchemaResource;
  /** One for each keyword, in the order in which their problems are reported. */
  readonly checks: Check[];
  /** Whether it has to know which members its own keywords have evaluated. */
  collects: boolean;
}

export type SchemaDialect = '2020-12' | 'draft-07';

/** The document, or a part of it with its own `$id`. References are relative to it. */
export interface SchemaResource {
  readonly base: string;
  readonly root: unknown;
  /** Undefined if the schema does not name it: then it is 2020-12, and may be in the style of draft-07. */
  readonly dialect: SchemaDialect | undefined;
  readonly anchors: Map<string, Node>;
  readonly dynamicAnchors: Map<string, Node>;
}

export function checkNode(node: Node, value: unknown, run: Run, evaluated?: Evaluated): Problem | undefined {
  run.enter(node);
  const own = node.collects ? new Evaluated() : evaluated;
  for (const check of node.checks) {
    const problem = check(value, run, own);
    if (problem) {
      run.leave();
      return problem;
    }
  }
  run.leave();
  if (own && own !== evaluated) evaluated?.add(own, run.budget);
  return undefined;
}

/** A check that applies another schema to the same value. */
export function checkSame(node: Node): Check {
  return (value, run, evaluated) => checkNode(node, value, run, evaluated);
}
