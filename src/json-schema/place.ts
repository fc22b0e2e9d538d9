import { isObject } from '../base/json.js';
import type { Budget } from './budget.js';
import type { Node } from './node.js';
import type { Pattern } from './pattern.js';
import { type RefusalReason, SchemaRefused } from './refusal.js';

/** Reads, for a place, what is more than a plain value. */
export interface Reader {
  readonly budget: Budget;
  readNode(schema: unknown, pointer: string): Node;
  readPattern(source: string, at: Place): Pattern;
  readReference(text: string, at: Place): Reference;
}

/** Where a `$ref` leads. Filled in when the whole document has been read. */
export interface Reference {
  target?: Node;
  /** The name by which an outer resource may put another schema in the target's place. */
  dynamicAnchor?: string;
}

/** A place in a schema that is being read, with methods that read it in the shape that a keyword expects. */
export class Place {
  readonly operand: unknown;
  readonly #pointer: string;
  readonly #reader: Reader;
  readonly #around: Place | undefined;

  constructor(operand: unknown, pointer: string, reader: Reader, around?: Place) {
    this.operand = operand;
    this.#pointer = pointer;
    this.#reader = reader;
    this.#around = around;
  }

  get budget(): Budget {
    return this.#reader.budget;
  }

  inside(name: string | number, operand: unknown): Place {
    const step = String(name).replaceAll('~', '~0').replaceAll('/', '~1');
    return new Place(operand, `${this.#pointer}/${step}`, this.#reader, this);
  }

  /** A member of this object. */
  member(name: string): Place | undefined {
    if (!isObject(this.operand) || !Object.hasOwn(this.operand, name)) return undefined;
    return this.inside(name, this.operand[name]);
  }

  /** Another keyword of the same schema. */
  beside(keyword: string): Place | undefined {
    return this.#around?.member(keyword);
  }

  refuse(what: string, reason: RefusalReason = 'malformed'): SchemaRefused {
    return new SchemaRefused(reason, this.#pointer, what);
  }

  number(): number {
    if (typeof this.operand === 'number' && Number.isFinite(this.operand)) return this.operand;
    throw this.refuse('must be a number');
  }

  count(): number {
    const count = this.number();
    if (Number.isInteger(count) && count >= 0) return count;
    throw this.refuse('must be a whole number and not negative');
  }

  boolean(): boolean {
    if (typeof this.operand === 'boolean') return this.operand;
    throw this.refuse('must be true or false');
  }

  string(): string {
    if (typeof this.operand === 'string') return this.operand;
    throw this.refuse('must be a string');
  }

  list(): readonly unknown[] {
    if (!Array.isArray(this.operand)) throw this.refuse('must be an array');
    this.budget.spend(this.operand.length);
    return this.operand;
  }

  strings(): readonly string[] {
    return this.list().map((item, index) => this.inside(index, item).string());
  }

  members(): readonly (readonly [name: string, member: Place])[] {
    const { operand } = this;
    if (!isObject(operand)) throw this.refuse('must be an object');
    const names = Object.keys(operand);
    this.budget.spend(10 * names.length);
    return names.map(name => [name, this.inside(name, operand[name])]);
  }

  node(): Node {
    return this.#reader.readNode(this.operand, this.#pointer);
  }

  nodes(): readonly Node[] {
    return this.list().map((item, index) => this.inside(index, item).node());
  }

  /** The regular expression here, or one that is the name of this place. */
  pattern(source = this.string()): Pattern {
    return this.#reader.readPattern(source, this);
  }

  reference(): Reference {
    return this.#reader.readReference(this.string(), this);
  }
}
