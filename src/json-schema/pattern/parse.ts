import { type CharacterTest, testFor } from './character.js';

/** A regular expression, without what makes no difference to whether it matches: names, and who takes more. */
export type Tree =
  | { readonly kind: 'character'; readonly matches: CharacterTest }
  | { readonly kind: 'edge'; readonly edge: Edge }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly Tree[] }
  | { readonly kind: 'repetition'; readonly part: Tree; readonly least: number; readonly most: number };

/** A condition on the place between two characters. */
export type Edge = '^' | '$' | '\\b' | '\\B';

/** One of several patterns that must match, or must not, on the same text. */
export interface Part {
  readonly tree: Tree;
  readonly isForbidden: boolean;
}

/** A pattern is valid, but too large, or has something that cannot be decided in one look at each character. */
export class NotEnforceable extends Error {}

const LOOKS = 'looks around or back';

const MAX_DEPTH = 100;
const START: Tree = { kind: 'edge', edge: '^' };
const QUANTIFIER = /([*+?])\??|\{(\d+)(,?)(\d*)\}\??/y;
const GROUP = /\((?:\?:|\?<(?![=!])[^>]*>|(?!\?))/y;
const LOOKAHEAD = /\(\?([=!])/y;
const EDGE = /\^|\$|\\[bB]/y;
const BRACKETS = /\[(?:[^\]\\]|\\.)*\]/sy;
const SET = /\\(?:[dDwWsS]|[pP]\{[^}]+\})/y;
const NUMBERED =
  /\\(?:u\{[\da-f]+\}|ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|u[\da-f]{4}|x[\da-f]{2}|c[a-z]|0(?!\d))/iy;
/** Not back-references, and not letters that mean something only in other dialects. */
const ESCAPE = /\\(?:[nrtvf]|[^\da-zA-Z])/uy;
const PLAIN = /[^\\(]/uy;

/**
 * Reads a pattern that JavaScript accepts. Lookaheads at its very beginning, as in `^(?=.*\\d)(?!.*\\s).{8,}$`, are parts
 * of their own. Throws `NotEnforceable` at all other lookaround and at back-references.
 */
export function parsePattern(source: string): Part[] {
  return new Parser(source).readParts();
}

/** Only the structure is read here; JavaScript itself tells which characters match `\s` or `[^a-z]`. */
class Parser {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  readParts(): Part[] {
    const parts: Part[] = [];
    if (this.#take(/\^(?=\(\?[=!])/y)) {
      for (let found = this.#take(LOOKAHEAD); found; found = this.#take(LOOKAHEAD)) {
        const inner = this.#readGroup(0);
        parts.push({ tree: { kind: 'sequence', parts: [START, inner] }, isForbidden: found[1] === '!' });
      }
    }
    const tree = this.#readChoice(0);
    if (parts.length === 0) return [{ tree, isForbidden: false }];
    // In `^(?=a)b|c` the lookahead is of the first alternative only.
    if (tree.kind === 'choice') throw new NotEnforceable(LOOKS);
    return [...parts, { tree: { kind: 'sequence', parts: [START, tree] }, isForbidden: false }];
  }

  #readGroup(depth: number): Tree {
    const group = this.#readChoice(depth + 1);
    this.#take(/\)/y);
    return group;
  }

  #readChoice(depth: number): Tree {
    if (depth > MAX_DEPTH) throw new NotEnforceable('is nested too deeply');
    const parts = [this.#readSequence(depth)];
    while (this.#take(/\|/y)) parts.push(this.#readSequence(depth));
    return parts.length === 1 ? parts[0]! : { kind: 'choice', parts };
  }

  #readSequence(depth: number): Tree {
    const parts: Tree[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at]!)) {
      parts.push(this.#readQuantifier(this.#readAtom(depth)));
    }
    return { kind: 'sequence', parts };
  }

  #readQuantifier(part: Tree): Tree {
    const found = this.#take(QUANTIFIER);
    if (!found) return part;
    const [, sign, least, comma, most] = found;
    if (sign === '?') return { kind: 'repetition', part, least: 0, most: 1 };
    if (sign === '*') return { kind: 'repetition', part, least: 0, most: Number.POSITIVE_INFINITY };
    if (sign === '+') return { kind: 'repetition', part, least: 1, most: Number.POSITIVE_INFINITY };
    const end = comma ? most || Number.POSITIVE_INFINITY : least;
    return { kind: 'repetition', part, least: Number(least), most: Number(end) };
  }

  #readAtom(depth: number): Tree {
    const edge = this.#take(EDGE);
    if (edge) return { kind: 'edge', edge: edge[0] as Edge };
    if (this.#take(GROUP)) return this.#readGroup(depth);
    for (const token of [BRACKETS, SET, NUMBERED, ESCAPE, PLAIN]) {
      const found = this.#take(token);
      if (found) return { kind: 'character', matches: testFor(found[0]) };
    }
    throw new NotEnforceable(LOOKS);
  }

  #take(token: RegExp): RegExpExecArray | null {
    token.lastIndex = this.#at;
    const found = token.exec(this.#source);
    if (found) this.#at = token.lastIndex;
    return found;
  }
}
