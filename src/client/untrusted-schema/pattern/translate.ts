import { assertion, character, choice, type Part, repetition, sequence } from './part.js';

const MAX_SIZE = 2_000;
const MAX_DEPTH = 100;

/** A pattern in the syntax of RE2. */
export interface Translation {
  readonly source: string;
  /** The number of places in it. */
  readonly size: number;
  /** The largest number of places that a match could have reached after a character of a text. */
  readonly width: number;
}

/**
 * Translates a pattern that JavaScript accepts; undefined if RE2 has nothing like it, or if it is too large.
 * The dialects differ in what `.` and `\s` mean, and in escapes, so characters are written by their numbers.
 */
export function translate(pattern: string): Translation | undefined {
  try {
    const { source, size, width, isAnchored } = new Translator(pattern).readChoice(0);
    // Without an anchor a match can begin at every character.
    return size > MAX_SIZE ? undefined : { source, size, width: isAnchored ? width + 1 : size };
  } catch (error) {
    if (error instanceof Untranslatable) return undefined;
    throw error;
  }
}

/** How often `\p{…}` occurs in a pattern. Each stands for hundreds of ranges, which makes it expensive. */
export function countProperties(pattern: string): number {
  return pattern.split(/\\p/i).length - 1;
}

class Untranslatable extends Error {}

const SPACE =
  '\\x{9}-\\x{d}\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}';
const NOT_SPACE =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}' +
  '\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}';

/** Sets of characters with an escape of their own, as RE2 has them inside of brackets. */
const SETS: ReadonlyMap<string, string> = new Map([
  ['d', '\\d'],
  ['D', '\\D'],
  ['w', '\\w'],
  ['W', '\\W'],
  ['s', SPACE],
  ['S', NOT_SPACE],
]);

/** Categories of characters by the long names that only JavaScript has. */
const CATEGORIES: ReadonlyMap<string, string> = new Map(
  (
    'Letter=L Cased_Letter=LC Uppercase_Letter=Lu Lowercase_Letter=Ll Titlecase_Letter=Lt Modifier_Letter=Lm ' +
    'Other_Letter=Lo Mark=M Nonspacing_Mark=Mn Spacing_Mark=Mc Enclosing_Mark=Me Number=N Decimal_Number=Nd ' +
    'digit=Nd Letter_Number=Nl Other_Number=No Punctuation=P punct=P Connector_Punctuation=Pc ' +
    'Dash_Punctuation=Pd Open_Punctuation=Ps Close_Punctuation=Pe Initial_Punctuation=Pi Final_Punctuation=Pf ' +
    'Other_Punctuation=Po Symbol=S Math_Symbol=Sm Currency_Symbol=Sc Modifier_Symbol=Sk Other_Symbol=So ' +
    'Separator=Z Space_Separator=Zs Line_Separator=Zl Paragraph_Separator=Zp Other=C Control=Cc cntrl=Cc ' +
    'Format=Cf Surrogate=Cs Private_Use=Co Unassigned=Cn'
  )
    .split(' ')
    .map(pair => pair.split('=') as [string, string]),
);

const CONTROLS: ReadonlyMap<string, number> = new Map([
  ['t', 9],
  ['n', 10],
  ['v', 11],
  ['f', 12],
  ['r', 13],
]);

/** Reads a pattern from left to right. It is known to be valid, so what looks wrong is merely unusual. */
class Translator {
  readonly #pattern: string;
  #at = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  readChoice(depth: number): Part {
    if (depth > MAX_DEPTH) throw new Untranslatable();
    const parts = [this.#readSequence(depth)];
    while (this.#take(/\|/y)) parts.push(this.#readSequence(depth));
    return choice(parts);
  }

  #readSequence(depth: number): Part {
    let part: Part | undefined;
    while (this.#at < this.#pattern.length && !'|)'.includes(this.#pattern[this.#at]!)) {
      const next = this.#readQuantifier(this.#readAtom(depth));
      part = part ? sequence(part, next) : next;
    }
    return part ?? assertion('(?:)');
  }

  #readQuantifier(part: Part): Part {
    const found = this.#take(/([*+?])\??|\{(\d+)(,?)(\d*)\}\??/y);
    if (!found) return part;
    const [, sign, least, comma, most] = found;
    if (sign) return repetition(part, sign === '+' ? 1 : 0, sign === '?' ? 1 : Number.POSITIVE_INFINITY);
    if (!comma) return repetition(part, Number(least), Number(least));
    return repetition(part, Number(least), most ? Number(most) : Number.POSITIVE_INFINITY);
  }

  #readAtom(depth: number): Part {
    const char = this.#next();
    if (char === '^' || char === '$') return assertion(char);
    if (char === '.') return character('[^\\x{a}\\x{d}\\x{2028}\\x{2029}]');
    if (char === '(') return this.#readGroup(depth);
    if (char === '[') return character(this.#readBrackets());
    if (char !== '\\') return character(literal(char));
    const edge = this.#take(/[bB]/y);
    if (edge) return assertion(`\\${edge[0]}`);
    const set = this.#readSet();
    return character(set ? `[${set}]` : this.#readEscape());
  }

  #readGroup(depth: number): Part {
    const isPlain = this.#take(/\?:|\?<(?![=!])[^>]*>/y) !== null;
    if (!isPlain && this.#take(/\?/y)) throw new Untranslatable();
    const part = this.readChoice(depth + 1);
    this.#next();
    return part;
  }

  /** `[…]` from after the first bracket. */
  #readBrackets(): string {
    const not = this.#take(/\^/y) ? '^' : '';
    let members = '';
    while (!this.#take(/\]/y)) members += this.#readMember();
    if (members !== '') return `[${not}${members}]`;
    return not ? '[\\x{0}-\\x{10ffff}]' : '[^\\x{0}-\\x{10ffff}]';
  }

  /** A character, a range or a set inside of brackets. */
  #readMember(): string {
    const set = this.#take(/\\(?=[dDwWsSpP])/y) && this.#readSet();
    if (set) return set;
    const first = this.#readMemberCharacter();
    if (!this.#take(/-(?!\]|\\[dDwWsSpP])/y)) return first;
    return `${first}-${this.#readMemberCharacter()}`;
  }

  #readMemberCharacter(): string {
    const char = this.#next();
    if (char !== '\\') return literal(char);
    return this.#take(/b/y) ? '\\x{8}' : this.#readEscape();
  }

  /** `\d` and the like, from after the backslash. */
  #readSet(): string | undefined {
    const property = this.#take(/([pP])\{(?:(?:Script|sc|General_Category|gc)=)?(\w+)\}/y);
    if (property) return `\\${property[1]}{${CATEGORIES.get(property[2]!) ?? property[2]}}`;
    const set = this.#take(/[dDwWsS]/y);
    return set ? SETS.get(set[0]) : undefined;
  }

  /** An escaped character, from after the backslash. */
  #readEscape(): string {
    const pair = this.#take(/u(d[89ab][\da-f]{2})\\u(d[c-f][\da-f]{2})/iy);
    if (pair) return byNumber(String.fromCharCode(hex(pair[1]), hex(pair[2])).codePointAt(0)!);
    const number = this.#take(/u\{([\da-f]+)\}|u([\da-f]{4})|x([\da-f]{2})/iy);
    if (number) return byNumber(hex(number[1] ?? number[2] ?? number[3]));
    const control = this.#take(/c([a-z])/iy);
    if (control) return byNumber(control[1]!.charCodeAt(0) % 32);
    if (this.#take(/0(?!\d)/y)) return byNumber(0);
    const char = this.#next();
    const code = CONTROLS.get(char);
    if (code !== undefined) return byNumber(code);
    // Back-references, and letters that mean something only in other dialects.
    if (/[\da-z]/i.test(char)) throw new Untranslatable();
    return literal(char);
  }

  #take(token: RegExp): RegExpExecArray | null {
    token.lastIndex = this.#at;
    const found = token.exec(this.#pattern);
    if (found) this.#at = token.lastIndex;
    return found;
  }

  #next(): string {
    const code = this.#pattern.codePointAt(this.#at);
    if (code === undefined) throw new Untranslatable();
    const char = String.fromCodePoint(code);
    this.#at += char.length;
    return char;
  }
}

function literal(char: string): string {
  return /[\da-z]/i.test(char) ? char : byNumber(char.codePointAt(0)!);
}

function byNumber(code: number): string {
  return `\\x{${code.toString(16)}}`;
}

function hex(digits: string | undefined): number {
  return Number.parseInt(digits ?? '', 16);
}
