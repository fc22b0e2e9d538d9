import { isObject, type JsonObject } from '../base/json.js';
import type { Budget } from './budget.js';
import type { Node, SchemaDialect } from './node.js';
import type { SchemaOptions } from './options.js';
import type { Pattern } from './pattern.js';
import { type RefusalReason, SchemaRefused } from './refusal.js';

/** Reads the operands that are more than plain values: schemas, patterns and references. */
export interface Reader {
  readonly options: SchemaOptions;
  readonly dialect: SchemaDialect | undefined;
  readonly budget: Budget;
  readNode(at: Place): Node;
  readPattern(source: string, at: Place): Pattern;
  readReference(at: Place): Reference;
}

/** The target of a `$ref`. It is filled in when the whole document has been read. */
export interface Reference {
  target?: Node;
  /** The name under which an outer resource may replace the target. */
  dynamicAnchor?: string;
}

/** A place in a schema that is being read. Its methods read it in the shape that a keyword expects. */
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

  /** The same place with another reader, which may see another operand. */
  readBy(reader: Reader, operand = this.operand): Place {
    return new Place(operand, this.#step, reader, this.#around);
  }

  get options(): SchemaOptions {
    return this.#reader.options;
  }

  get dialect(): SchemaDialect | undefined {
    return this.#reader.dialect;
  }

  get budget(): Budget {
    return this.#reader.budget;
  }

  /** Its position in the document, as a JSON pointer. */
  get pointer(): string {
    const step = String(this.#step);
    if (!this.#around) return step;
    return `${this.#around.pointer}/${step.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  }

  inside(name: string | number, operand: unknown): Place {
    return new Place(operand, name, this.#reader, this);
  }

  /** A member of this object. */
  member(name: string): Place | undefined {
    const { operand } = this;
    return isObject(operand) && Object.hasOwn(operand, name) ? this.inside(name, operand[name]) : undefined;
  }

  /** Another keyword of the same schema. */
  beside(keyword: string): Place | undefined {
    return this.#around?.member(keyword);
  }

  refuse(what: string, reason: RefusalReason = 'malformed'): SchemaRefused {
    return new SchemaRefused(reason, this.pointer, what);
  }

  number(): number {
    return this.#expect('a number', Number.isFinite(this.operand)) as number;
  }

  count(): number {
    const count = this.number();
    this.#expect('a whole number and not negative', Number.isInteger(count) && count >= 0);
    return count;
  }

  boolean(): boolean {
    return this.#expect('true or false', typeof this.operand === 'boolean') as boolean;
  }

  string(): string {
    return this.#expect('a string', typeof this.operand === 'string') as string;
  }

  /** Returns the operand, or refuses the schema if it has another type. */
  #expect(kind: string, isFit: boolean): unknown {
    if (isFit) return this.operand;
    throw this.refuse(`must be ${kind}`);
  }

  list(): readonly unknown[] {
    const list = this.#expect('an array', Array.isArray(this.operand)) as unknown[];
    this.budget.spend(list.length);
    return list;
  }

  strings(): readonly string[] {
    return this.list().map((item, index) => this.inside(index, item).string());
  }

  members(): readonly (readonly [name: string, member: Place])[] {
    const operand = this.#expect('an object', isObject(this.operand)) as JsonObject;
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

  /** The regular expression here, or the one that is the name of this member. */
  pattern(source = this.string()): Pattern {
    return this.#reader.readPattern(source, this);
  }

  reference(): Reference {
    this.string();
    return this.#reader.readReference(this);
  }
}
