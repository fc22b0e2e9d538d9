import type { Awaitable } from '../base/settle.js';
import { nextTurn } from '../base/turns.js';
import { ConnectionError } from '../protocol/failures.js';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COMMA,
  endOfString,
  LONG_STRING,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from './characters.js';

/** Upper limits for a text. */
export interface JsonLimits {
  depth: number;
  containers: number;
  /** Names in one object: a larger hash table takes too long to grow and to enumerate. */
  names: number;
}

/** How the work is divided. */
export interface Portions {
  /** Characters to scan in one turn. */
  turn: number;
  /** Values to create with one call of `JSON.parse`. */
  run: number;
}

/** A text exceeds a limit. */
export class JsonExcess extends Error {}

/** Each takes about 5 ms. */
const PORTIONS: Portions = { turn: 1_000_000, run: 1500 };
/** The cost of creating one value, in characters that could be scanned in that time, in the worst case. */
const VALUE_COST = 400;
/** A text of so few characters cannot exceed any limit. */
const SHORT = 512;

/**
 * Does what `JSON.parse` does without blocking for long: at once if the text is small, otherwise a portion in each turn
 * of the event loop. Throws, or rejects with, `SyntaxError` and `JsonExcess`.
 *
 * It does not parse values itself. It only cuts the text at commas and brackets, and passes runs of members between
 * them to `JSON.parse`, which decides whether they are valid and what they mean.
 */
export function parsePatiently(
  text: string,
  limits: JsonLimits,
  isGivenUp: () => boolean = () => false,
  portions: Portions = PORTIONS,
): Awaitable<unknown> {
  if (text.length <= SHORT && portions === PORTIONS) return JSON.parse(text);
  const parser = new Parser(text, limits, portions);
  return parser.advance() ? parser.value : finish(parser, isGivenUp);
}

async function finish(parser: Parser, isGivenUp: () => boolean): Promise<unknown> {
  do {
    await nextTurn();
    if (isGivenUp()) throw new ConnectionError('the request was given up');
  } while (!parser.advance());
  return parser.value;
}

/** An array or object that is too large to be created at once. */
interface Frame {
  target: unknown[] | Record<string, unknown>;
  /** The number of its members so far. */
  count: number;
  /** Where the members begin that are still to be created. */
  from: number;
  /** The end of a member that had its own frame; only a comma or the closing bracket may follow. */
  after: number;
  /** The name of the member that has its own frame now. */
  name: string;
}

class Parser {
  value: unknown;
  readonly #text: string;
  readonly #limits: JsonLimits;
  readonly #portions: Portions;
  #at = 0;
  #containers = 0;
  /** How many containers are open. The outer ones have frames; the first frame is for the whole text. */
  #depth = 0;
  readonly #frames: Frame[] = [frameOf([], 0)];
  /** For each open container: where it begins, and where its current member begins. */
  readonly #opens: number[] = [-1];
  readonly #members: number[] = [0];
  /** How many values the members have that are still to be created. */
  #values = 0;

  constructor(text: string, limits: JsonLimits, portions: Portions) {
    this.#text = text;
    this.#limits = limits;
    this.#portions = portions;
  }

  /** Continues for one turn. Returns whether the value is complete. */
  advance(): boolean {
    const text = this.#text;
    let stop = this.#at + this.#portions.turn;
    while (this.#at < text.length) {
      if (this.#at >= stop) return false;
      const at = this.#at++;
      switch (text.charCodeAt(at)) {
        case QUOTE:
          this.#at = endOfString(text, at + 1);
          if (this.#at < 0) throw new SyntaxError('a string has no end');
          // Finding the end of a long string takes almost no time.
          if (this.#at - at > LONG_STRING) stop += this.#at - at;
          break;
        case OPEN_BRACKET:
        case OPEN_BRACE:
          this.#open(at);
          break;
        case CLOSE_BRACKET:
        case CLOSE_BRACE:
          this.#close(at);
          break;
        case COMMA:
          stop -= VALUE_COST * this.#separate(at);
          break;
      }
    }
    this.#end();
    return true;
  }

  #open(at: number): void {
    if (++this.#containers > this.#limits.containers) {
      throw new JsonExcess(`it has more than ${this.#limits.containers} arrays and objects`);
    }
    if (++this.#depth > this.#limits.depth) {
      throw new JsonExcess(`it is nested deeper than ${this.#limits.depth} levels`);
    }
    this.#values++;
    this.#opens[this.#depth] = at;
    this.#members[this.#depth] = at + 1;
  }

  /** Handles a comma, where a member ends and another begins. Returns how many values were created. */
  #separate(at: number): number {
    const depth = this.#depth;
    if (depth === 0) throw new SyntaxError('there is something after the value');
    const frame = this.#frames[depth];
    if (frame && frame.after >= 0) {
      this.#expectSpace(frame.after, at);
      frame.after = -1;
      frame.from = at + 1;
    }
    this.#members[depth] = at + 1;
    if (++this.#values < this.#portions.run) return 0;
    const made = this.#values;
    for (let level = this.#frames.length; level <= depth; level++) this.#enter(level);
    this.#make(this.#frames[depth] as Frame, at);
    return made;
  }

  /**
   * Gives an open container a frame: creates the earlier members of the outer one, and reads the name of this member.
   */
  #enter(level: number): void {
    const outer = this.#frames[level - 1] as Frame;
    const begin = this.#members[level - 1] as number;
    const open = this.#opens[level] as number;
    this.#make(outer, begin - 1);
    if (Array.isArray(outer.target)) this.#expectSpace(begin, open);
    else [outer.name] = Object.keys(JSON.parse(`{${this.#text.slice(begin, open)}[]}`)) as [string];
    const isArray = this.#text.charCodeAt(open) === OPEN_BRACKET;
    this.#frames.push(frameOf(isArray ? [] : {}, open + 1));
  }

  #close(at: number): void {
    if (this.#depth === 0) throw new SyntaxError('there is something after the value');
    if (this.#depth-- !== this.#frames.length - 1) return;
    const frame = this.#frames.pop() as Frame;
    const isArray = this.#text.charCodeAt(at) === CLOSE_BRACKET;
    if (Array.isArray(frame.target) !== isArray) throw new SyntaxError('the brackets do not match');
    if (frame.after >= 0) this.#expectSpace(frame.after, at);
    else this.#make(frame, at);
    const outer = this.#frames[this.#frames.length - 1] as Frame;
    put(outer.target, outer.name, frame.target);
    outer.after = at + 1;
  }

  /** Creates the members of a frame up to a comma or bracket, if there are any before it. */
  #make(frame: Frame, end: number): void {
    if (frame.after >= 0) throw new SyntaxError('there is no comma between two members');
    if (end < frame.from) return;
    const run = this.#text.slice(frame.from, end);
    const before = frame.count;
    if (Array.isArray(frame.target)) {
      const items = JSON.parse(`[${run}]`) as unknown[];
      for (const item of items) frame.target.push(item);
      frame.count += items.length;
    } else {
      const members = JSON.parse(`{${run}}`) as Record<string, unknown>;
      const names = Object.keys(members);
      for (const name of names) put(frame.target, name, members[name]);
      frame.count += names.length;
      if (frame.count > this.#limits.names) {
        throw new JsonExcess(`it has an object with more than ${this.#limits.names} names`);
      }
    }
    if (frame.count === before) throw new SyntaxError('there is nothing before a comma or after it');
    frame.from = end + 1;
    this.#values = 0;
  }

  #end(): void {
    const { target, after } = this.#frames[0] as Frame;
    if (this.#depth > 0) throw new SyntaxError('the text ends too early');
    if (after >= 0) this.#expectSpace(after, this.#text.length);
    this.value = after < 0 ? JSON.parse(this.#text) : (target as unknown[])[0];
  }

  #expectSpace(from: number, to: number): void {
    if (!/^[ \t\n\r]*$/.test(this.#text.slice(from, to)))
      throw new SyntaxError('there is something between two members');
  }
}

function frameOf(target: Frame['target'], from: number): Frame {
  return { target, count: 0, from, after: -1, name: '' };
}

function put(target: Frame['target'], name: string, value: unknown): void {
  if (Array.isArray(target)) target.push(value);
  else if (name !== '__proto__') target[name] = value;
  else Object.defineProperty(target, name, { value, writable: true, enumerable: true, configurable: true });
}
