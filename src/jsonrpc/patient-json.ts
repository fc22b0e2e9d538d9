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

/** What a text must not have more of. */
export interface JsonLimits {
  depth: number;
  containers: number;
  /** Names in one object: a table of more takes too long to grow, and to be listed by whoever looks at it. */
  names: number;
}

/** How the work is cut up. */
export interface Portions {
  /** Characters to look at in one turn. */
  turn: number;
  /** Values to have made by `JSON.parse` at once. */
  run: number;
}

/** A text has too much of something. */
export class JsonExcess extends Error {}

/** Some 5 ms each. */
const PORTIONS: Portions = { turn: 1_000_000, run: 1500 };
/** How many characters could be looked at while one value is made, in the worst case. */
const VALUE_COST = 400;
/** A text of so many characters is too short for any limit. */
const SHORT = 512;

/**
 * What `JSON.parse` does, but never for long: at once if there is little in a text, otherwise a portion in each turn
 * of the event loop. Throws, or rejects with, `SyntaxError` and `JsonExcess`.
 *
 * Nothing is read by hand. The text is only cut at commas and brackets, and `JSON.parse` gets runs of members
 * between them; so what is valid and what it means is up to that.
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
    if (isGivenUp()) throw new ConnectionError('nobody waits for the answer any more');
  } while (!parser.advance());
  return parser.value;
}

/** An array or object that is too large to be made at once. */
interface Frame {
  target: unknown[] | Record<string, unknown>;
  /** How many members it has. */
  count: number;
  /** Where the members begin that are still to be made. */
  from: number;
  /** Where a member ended that has a frame of its own; only a comma or the end may follow. */
  after: number;
  /** The name of the member that has a frame now. */
  name: string;
}

class Parser {
  value: unknown;
  readonly #text: string;
  readonly #limits: JsonLimits;
  readonly #portions: Portions;
  #at = 0;
  #containers = 0;
  /** How many containers are open here. Those that have frames are the outer ones; the first frame is for the text. */
  #depth = 0;
  readonly #frames: Frame[] = [frameOf([], 0)];
  /** For each that is open, where it begins, and where the member begins that is being looked at. */
  readonly #opens: number[] = [-1];
  readonly #members: number[] = [0];
  /** How many values there are in the members that are still to be made. */
  #values = 0;

  constructor(text: string, limits: JsonLimits, portions: Portions) {
    this.#text = text;
    this.#limits = limits;
    this.#portions = portions;
  }

  /** Goes on for a turn. Returns whether the value is there. */
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
          // It takes next to no time to find the end of a long one.
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

  /** A member ends here and another begins. Returns how many values were made. */
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

  /** Gives a frame to a container that is open: what comes before it in the outer one is made, and what it is called. */
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

  /** Makes the members of a frame up to a comma or bracket, if there are any before it. */
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
