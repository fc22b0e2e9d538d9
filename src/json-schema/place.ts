import { isObject } from '../base/json.js';
import type { Budget } from './budget.js';
import type { Node } from './node.js';
import type { SchemaOptions } from './options.js';
import type { Pattern } from './pattern.js';
import { type RefusalReason, SchemaRefused } from './refusal.js';

/** Reads, for a place, what is more than a plain value. */
export interface Reader {
  readonly options: SchemaOptions;
  readonly budget: Budget;
  readNode(at: Place): Node;
  readPattern(source: string, at: Place): Pattern;
  readReference(at: Place): Reference;
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
  readonly #step: string | number;
  readonly #reader: Reader;
  readonly #around: Place | undefined;

  constructor(operand: unknown, step: string | number, reader: Reader, around?: Place) {
    this.operand = operand;
    this.#step = step;
    this.#reader = reader;
    this.#around = around;
  }

  /** This place and all in it, read by another. */
  readBy(reader: Reader): Place {
    return new Place(this.operand, this.#step, reader, this.#around);
  }

  get options(): SchemaOptions {
    return this.#reader.options;
  }

  get budget(): Budget {
    return this.#reader.budget;
  }

  /** Where it is in the document, as a JSON pointer. */
  get pointer(): string {
    const step = String(this.#step);
    if (!this.#around) return step;
    return `${this.#around.pointer}/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  }

  inside(name: string | number, operand: unknown): Place {
    return new Place(operand, name, this.#reader, this);
  }

  /** Whether this is an object with a certain member. */
  has(name: string): boolean {
    return isObject(this.operand) && Object.hasOwn(this.operand, name);
  }

  /** Another keyword of the same schema. */
  beside(keyword: string): Place | undefined {
    const around = this.#around;
    return around?.has(keyword)
      ? around.inside(keyword, (around.operand as Record<string, unknown>)[keyword])
      : undefined;
  }

  refuse(what: string, reason: RefusalReason = 'malformed'): SchemaRefused {
    return new SchemaRefused(reason, this.pointer, what);
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
    return this.#reader.readNode(this);
  }

  nodes(): readonly Node[] {
    const list = this.list();
    if (list.length === 0 && this.options.from === 'author') throw this.refuse('must not be empty');
    return list.map((item, index) => this.inside(index, item).node());
  }

  /** The regular expression here, or one that is the name of this place. */
  pattern(source = this.string()): Pattern {
    return this.#reader.readPattern(source, this);
  }

  reference(): Reference {
    this.string();
    return this.#reader.readReference(this);
  }
}
