import { Budget } from './budget.js';
import type { Node, Resource } from './node.js';
import { SchemaRefused } from './refusal.js';

/** How many schemas may be entered inside of each other. Keeps clear of the end of the stack. */
const MAX_DEPTH = 512;

/** What one check remembers while it runs. */
export class Run {
  readonly budget = new Budget('to check');
  /** The resources of the schemas being checked, outermost first. */
  readonly scope: Resource[] = [];
  /** The schemas that were entered by reference, with the value that each is checking. */
  readonly #followed = new Map<Node, Followed>();

  enter(node: Node): void {
    this.budget.spend(4 + 4 * node.checks.length);
    if (this.scope.push(node.resource) <= MAX_DEPTH) return;
    throw tooComplex(node, 'the value is nested too deeply');
  }

  leave(): void {
    this.scope.pop();
  }

  /** Notes that a reference has led to a schema. Refuses one that leads to itself on the same value. */
  follow(node: Node, value: unknown): Followed | undefined {
    this.budget.spend(30);
    const outer = this.#followed.get(node);
    // Equal scalars are the same place, too: there is no way from one scalar into another.
    if (outer && outer.value === value) throw tooComplex(node, 'it refers to itself without end');
    this.#followed.set(node, { value });
    return outer;
  }

  /** Back from where `follow` went; `outer` is what it returned. */
  unfollow(node: Node, outer: Followed | undefined): void {
    if (outer) this.#followed.set(node, outer);
    else this.#followed.delete(node);
  }
}

/** A value that a schema is checking. */
interface Followed {
  readonly value: unknown;
}

function tooComplex(node: Node, why: string): SchemaRefused {
  return new SchemaRefused('too-complex', node.place, `too complex to check: ${why}`);
}
