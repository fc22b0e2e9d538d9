import { UsageError } from '../../base/errors.js';
import { readUnits } from './units.js';

/** The columns of the table in appendix A of RFC 6570. */
export const OPERATORS = {
  '': { first: '', separator: ',', named: false, empty: '', reserved: false },
  '+': { first: '', separator: ',', named: false, empty: '', reserved: true },
  '#': { first: '#', separator: ',', named: false, empty: '', reserved: true },
  '.': { first: '.', separator: '.', named: false, empty: '', reserved: false },
  '/': { first: '/', separator: '/', named: false, empty: '', reserved: false },
  ';': { first: ';', separator: ';', named: true, empty: '', reserved: false },
  '?': { first: '?', separator: '&', named: true, empty: '=', reserved: false },
  '&': { first: '&', separator: '&', named: true, empty: '=', reserved: false },
} as const;

type Operator = keyof typeof OPERATORS;
export type Rule = (typeof OPERATORS)[Operator];

export interface Spec {
  name: string;
  explode: boolean;
  /** The `n` of `{name:n}`. */
  prefix: number | undefined;
}

export interface Expression {
  operator: Operator;
  specs: readonly Spec[];
}

/** A string is literal text, percent-encoded as in a URI. */
export type TemplatePart = string | Expression;

/** The parts of a template, in order. */
export function parseParts(text: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf('{', at);
    const literal = text.slice(at, open === -1 ? text.length : open);
    if (literal !== '') parts.push(parseLiteral(literal, text));
    if (open === -1) break;
    const close = text.indexOf('}', open);
    if (close === -1) throw malformed(text, `the "{" at position ${open} is never closed`);
    parts.push(parseExpression(text.slice(open + 1, close), text));
    at = close + 1;
  }
  return parts;
}

function parseLiteral(literal: string, text: string): string {
  if (literal.includes('}')) throw malformed(text, 'a "}" has no "{" before it');
  const wrong = /[^!#-;=?-[\]_a-z~\u0080-\uffff]|%(?![0-9A-Fa-f]{2})/.exec(literal)?.[0];
  if (wrong !== undefined) {
    const encoded = `%${wrong.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
    throw malformed(text, `${JSON.stringify(wrong)} cannot stand in a URI; write ${encoded}`);
  }
  const units = readUnits(literal);
  if (units === undefined) throw malformed(text, `the text in ${JSON.stringify(literal)} is not valid UTF-8`);
  return units.map(unit => unit.raw).join('');
}

const PLAIN_NAME = '(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})';
const SPEC = new RegExp(`^(${PLAIN_NAME}(?:\\.?${PLAIN_NAME})*)(?::([1-9][0-9]{0,3})|(\\*))?$`);

function parseExpression(body: string, text: string): Expression {
  const head = body.charAt(0);
  if (head !== '' && '=,!@|'.includes(head)) {
    throw malformed(text, `"${head}" in {${body}} is not an operator; use one of + # . / ; ? &`);
  }
  const operator = Object.hasOwn(OPERATORS, head) ? (head as Operator) : '';
  const specs = body
    .slice(operator.length)
    .split(',')
    .map((spec): Spec => {
      const [, name, prefix, star] = SPEC.exec(spec) ?? [];
      if (name === undefined) {
        const allowed =
          'a name has letters, digits, "_" and single dots, and may end in "*" or ":" and 1 to 9999';
        throw malformed(text, `"${spec}" in {${body}} is not a variable; ${allowed}`);
      }
      return { name, explode: star !== undefined, prefix: prefix === undefined ? undefined : Number(prefix) };
    });
  return { operator, specs };
}

export function malformed(text: string, problem: string): UsageError {
  return new UsageError(`malformed URI template ${JSON.stringify(text)}: ${problem}`);
}
