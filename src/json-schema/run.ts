import { Budget } from './budget.js';
import type { Node, SchemaResource } from './node.js';
import type { SchemaOptions } from './options.js';

/** How deeply schemas may be nested in each other while checking. It keeps clear of the end of the stack. */
const MAX_DEPTH = 512;

/** The state of one check of a value. */
export class Run {
  readonly budget: Budget;
  /** The resources of the schemas being checked, outermost first. */
  readonly scope: SchemaResource[] = [];
  /** The reference that was followed last. */
  #followed: Followed | undefined;

  constructor(options: SchemaOptions) {
    this.budget = new Budget('to check', options);
  }

  enter(node: Node): void {
    this.budget.spend(4 + 4 * node.checks.length);
    if (this.scope.push(node.resource) <= MAX_DEPTH) return;
    throw node.at.refuse('too complex to check: the value is nested too deeply', 'too-complex');
  }

  leave(): void {
    this.scope.pop();
  }

  /** Notes that a reference has led to a schema. Refuses a reference that leads to itself on the same value. */
  follow(node: Node, value: unknown): void {
    this.budget.spend(20);
    // Equal scalars count as the same value, too: no check leads from one scalar to another.
    for (let outer = this.#followed; outer && outer.value === value; outer = outer.outer) {
      this.budget.spend(2);
      if (outer.node !== node) continue;
      throw node.at.refuse('too complex to check: it refers to itself without end', 'too-complex');
    }
    this.#followed = { node, value, outer: this.#followed };
  }

  /** Undoes the last `follow`. */
  unfollow(): void {
    this.#followed = this.#followed?.outer;
  }
}

/** A schema that a reference has led to, with the value being checked. */
interface Followed {
  readonly node: Node;
  readonly value: unknown;
  readonly outer: Followed | undefined;
}
