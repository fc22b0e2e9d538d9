import { type CharacterTest, testFor } from './character.js';
import {
  character,
  choice,
  type Edge,
  edge,
  NotEnforceable,
  type Part,
  repetition,
  sequence,
} from './program.js';

/** One of several patterns that must match, or must not match, the same text. */
export interface Condition {
  readonly part: Part;
  readonly isForbidden: boolean;
}

const LOOKS = 'looks around or back';

const MAX_DEPTH = 100;
const START = edge('^');
const QUANTIFIER = /([*+?])\??|\{(\d+)(,?)(\d*)\}\??/y;
const GROUP = /\((?:\?:|\?<(?![=!])[^>]*>|(?!\?))/y;
const LOOKAHEAD = /\(\?([=!])/y;
const EDGE = /\^|\$|\\[bB]/y;
/** Excludes back-references and letters that have a meaning only in other dialects. */
const CHARACTER = new RegExp(
  [
    /\[(?:[^\]\\]|\\[\s\S])*\]/,
    /\\[dDwWsS]|\\[pP]\{[^}]+\}/,
    /\\u\{[\da-fA-F]+\}|\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u[\da-fA-F]{4}/,
    /\\x[\da-fA-F]{2}|\\c[a-zA-Z]|\\0(?!\d)/,
    /\\(?:[nrtvf]|[^\da-zA-Z])/,
    /[^\\(]/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'uy',
);

/**
 * Reads a pattern that JavaScript accepts. Lookaheads at its very beginning, as in `^(?=.*\\d)(?!.*\\s).{8,}$`,
 * become conditions of their own. Throws `NotEnforceable` for all other lookaround and for back-references.
 */
export function parsePattern(source: string): Condition[] {
  return new Parser(source).readConditions();
}

/** Reads only the structure; JavaScript itself decides which characters match `\\s` or `[^a-z]`. */
class Parser {
  readonly #source: string;
  readonly #tests = new Map<string, CharacterTest>();
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  readConditions(): Condition[] {
    const conditions: Condition[] = [];
    const read = (isForbidden: boolean, part: Part) =>
      conditions.push({ part: sequence([START, part]), isForbidden });
    if (!this.#take(/\^(?=\(\?[=!])/y)) return [{ part: this.#readChoice(0), isForbidden: false }];
    for (let found = this.#take(LOOKAHEAD); found; found = this.#take(LOOKAHEAD)) {
      read(found[1] === '!', this.#readGroup(0));
    }
    read(false, this.#readSequence(0));
    // In `^(?=a)b|c` the lookahead belongs to the first alternative only.
    if (this.#at < this.#source.length) throw new NotEnforceable(LOOKS);
    return conditions;
  }

  #readGroup(depth: number): Part {
    const group = this.#readChoice(depth + 1);
    this.#take(/\)/y);
    return group;
  }

  #readChoice(depth: number): Part {
    if (depth > MAX_DEPTH) throw new NotEnforceable('is nested too deeply');
    const parts = [this.#readSequence(depth)];
    while (this.#take(/\|/y)) parts.push(this.#readSequence(depth));
    return parts.length === 1 ? parts[0]! : choice(parts);
  }

  #readSequence(depth: number): Part {
    const parts: Part[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at]!)) {
      parts.push(this.#readQuantifier(this.#readAtom(depth)));
    }
    return sequence(parts);
  }

  #readQuantifier(part: Part): Part {
    const found = this.#take(QUANTIFIER);
    if (!found) return part;
    const [, sign, least, comma, most] = found;
    if (sign) return repetition(part, sign === '+' ? 1 : 0, sign === '?' ? 1 : Number.POSITIVE_INFINITY);
    return repetition(part, Number(least), comma ? Number(most || Number.POSITIVE_INFINITY) : Number(least));
  }

  #readAtom(depth: number): Part {
    const between = this.#take(EDGE);
    if (between) return edge(between[0] as Edge);
    if (this.#take(GROUP)) return this.#readGroup(depth);
    const found = this.#take(CHARACTER);
    if (found) return character(this.#testFor(found[0]));
    throw new NotEnforceable(LOOKS);
  }

  #testFor(source: string): CharacterTest {
    const test = this.#tests.get(source) ?? testFor(source);
    this.#tests.set(source, test);
    return test;
  }

  #take(token: RegExp): RegExpExecArray | null {
    token.lastIndex = this.#at;
    const found = token.exec(this.#source);
    if (found) this.#at = token.lastIndex;
    return found;
  }
}
