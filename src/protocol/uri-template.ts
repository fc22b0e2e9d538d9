/** What a variable of a template can be filled with; an absent or undefined one is left out. */
export type TemplateValue =
  | string
  | number
  | boolean
  | readonly string[]
  | Readonly<Record<string, string>>
  | undefined;

/** How strict `match` is. */
export interface MatchOptions {
  /** Also accept values that could leave the folder they are meant for, such as `..` or `a/b` in `{name}`. */
  allowEscapes?: boolean;
}

/** A URI template that can be filled in, and recognised in a URI. */
export interface UriTemplate {
  /** The template as it was written. */
  readonly text: string;
  /** The names of its variables, each once, in order of appearance. */
  readonly variables: readonly string[];
  /** The URI for these values. */
  expand(values: Readonly<Record<string, TemplateValue>>): string;
  /** The values that give this URI, or undefined if the template does not describe it. */
  match(uri: string, options?: MatchOptions): Record<string, string | string[]> | undefined;
}

/**
 * The variables of a template that is known at compile time.
 *
 * @example
 * type Menu = TemplateVariables<'menu://{day}{?page}'>; // { day: string; page?: string }
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource-templates
 */
export type TemplateVariables<T extends string> =
  // Only a type that is wider than a literal, such as `string`, can have an index signature made of it.
  Record<never, never> extends Record<T, unknown>
    ? Record<string, string | string[]>
    : Flat<
        { [V in RequiredOf<Expressions<T>> as Name<V>]: Value<V> } & {
          [V in OptionalOf<Expressions<T>> as Name<V>]?: Value<V>;
        }
      >;

type Flat<T> = { [K in keyof T]: T[K] };
type Expressions<T> = T extends `${string}{${infer Body}}${infer Rest}` ? Body | Expressions<Rest> : never;
type OptionalOf<Body> = Body extends `${'?' | '&'}${infer List}` ? Split<List> : never;
type RequiredOf<Body> = Body extends `${'?' | '&'}${string}`
  ? never
  : Body extends `${'+' | '#' | '.' | '/' | ';'}${infer List}`
    ? Split<List>
    : Split<Body>;
type Split<List> = List extends `${infer Head},${infer Rest}` ? Head | Split<Rest> : List;
type Name<V> = V extends `${infer N}*` ? N : V extends `${infer N}:${string}` ? N : V & string;
type Value<V> = V extends `${string}*` ? string[] : string;

/**
 * Reads a URI template (RFC 6570, all four levels); throws a `SyntaxError` that names the mistake.
 *
 * `match` is the inverse of `expand` for values that are not empty and not associative arrays. Every variable
 * is required, except those of `{?…}` and `{&…}`, which may come in any order; a parameter that the template
 * does not name is no match. Where a URI can be divided in several ways, variables further left take more.
 *
 * @example
 * const menu = parseTemplate('menu://{day}{?page}');
 * menu.expand({ day: 'Monday', page: 2 }); // 'menu://Monday?page=2'
 * menu.match('menu://Monday'); // { day: 'Monday' }
 * menu.match('menu://..%2Fsecrets'); // undefined: it would leave the folder
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources#resource-templates
 * @see https://www.rfc-editor.org/rfc/rfc6570
 */
export function parseTemplate(text: string): UriTemplate {
  const parts = parseParts(text);
  const steps = compile(parts);
  if (steps.length > MAX_STEPS) throw malformed(text, `it has more than ${MAX_STEPS} parts`);
  const names = parts.flatMap(part => (typeof part === 'string' ? [] : part.specs.map(spec => spec.name)));
  return {
    text,
    variables: [...new Set(names)],
    expand: values =>
      parts.map(part => (typeof part === 'string' ? part : expandExpression(part, values))).join(''),
    match: (uri, options) => matchSteps(steps, uri, options?.allowEscapes ?? false),
  };
}

/** Matching keeps one byte for each part and each character of the URI. */
const MAX_STEPS = 200;

/** The columns of the table in appendix A of RFC 6570. */
const OPERATORS = {
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
type Rule = (typeof OPERATORS)[Operator];

interface Spec {
  name: string;
  explode: boolean;
  /** The `n` of `{name:n}`. */
  prefix: number | undefined;
}

interface Expression {
  operator: Operator;
  specs: readonly Spec[];
}

/** A string is literal text, in the encoded form that it has in a URI. */
type Part = string | Expression;

// Parsing

function parseParts(text: string): Part[] {
  const parts: Part[] = [];
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

function malformed(text: string, problem: string): SyntaxError {
  return new SyntaxError(`malformed URI template ${JSON.stringify(text)}: ${problem}`);
}

// Expansion

function expandExpression(expression: Expression, values: Readonly<Record<string, TemplateValue>>): string {
  const rule = OPERATORS[expression.operator];
  const items = expression.specs.flatMap(spec =>
    expandVariable(rule, spec, Object.hasOwn(values, spec.name) ? values[spec.name] : undefined),
  );
  return items.length === 0 ? '' : rule.first + items.join(rule.separator);
}

function expandVariable(rule: Rule, spec: Spec, value: TemplateValue | null): string[] {
  if (value === undefined || value === null) return [];
  const encode = (part: string) => encodeValue(part, rule.reserved, spec.name);
  const label = (name: string, part: string) =>
    rule.named ? name + (part === '' ? rule.empty : `=${part}`) : part;
  if (typeof value !== 'object') {
    const whole = String(value);
    const shown = spec.prefix === undefined ? whole : [...whole].slice(0, spec.prefix).join('');
    return [label(spec.name, encode(shown))];
  }
  if (spec.prefix !== undefined) {
    throw new TypeError(`variable "${spec.name}" must be a string: ":${spec.prefix}" cannot shorten a list`);
  }
  if (isList(value)) {
    const items = value.map(encode);
    if (spec.explode) return items.map(item => label(spec.name, item));
    return items.length === 0 ? [] : [label(spec.name, items.join(','))];
  }
  // The RFC would leave "&" and "=" in the keys of `{?keys*}` as they are; a key must not add parameters.
  const pairs = Object.entries(value).map(([key, item]) => [encode(key), encode(item)] as const);
  if (spec.explode) return pairs.map(([key, item]) => (rule.named ? label(key, item) : `${key}=${item}`));
  return pairs.length === 0 ? [] : [label(spec.name, pairs.flat().join(','))];
}

function isList(value: object): value is readonly string[] {
  return Array.isArray(value);
}

function encodeValue(value: string, reserved: boolean, name: string): string {
  try {
    return reserved ? encodeReserved(value) : encodeUnreserved(value);
  } catch (cause) {
    throw new TypeError(`variable "${name}" has half of a surrogate pair, which no URI can carry`, { cause });
  }
}

function encodeUnreserved(value: string): string {
  return encodeURIComponent(value).replace(
    /[!'()*]/g,
    char => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Leaves reserved characters and what is percent-encoded already. */
function encodeReserved(value: string): string {
  return value
    .split(/(%[0-9A-Fa-f]{2})/)
    .map((piece, index) =>
      index % 2 === 1 ? piece : encodeURI(piece).replace(/%5B/g, '[').replace(/%5D/g, ']'),
    )
    .join('');
}

// Matching. A URI is read as a list of characters, and a template as a list of steps. Working backwards through
// the steps, one row for each says from which characters the rest of the template can be matched; with these
// rows, one pass forwards takes as much as possible at each step and never has to turn back. The cost is the
// length of the URI times the length of the template, whatever they contain.

/** One character of a URI, as written (always ASCII) and as meant. */
interface Unit {
  raw: string;
  value: string;
}

interface Capture extends Expression {
  /** It begins with one of these characters; if there are none, with its value. */
  leads: string;
  /** Whether it may be missing altogether. */
  optional: boolean;
  /** Characters that end the value, unless they are percent-encoded. */
  stops: string;
  /** The largest number of characters in the value. */
  most: number;
}

type Step = readonly Unit[] | Capture;

function compile(parts: readonly Part[]): Step[] {
  const steps: Step[] = [];
  // What starts a later query or fragment is not part of an earlier value: {+path}{?page}.
  let claimed = '';
  for (const part of parts.toReversed()) {
    if (typeof part === 'string') {
      steps.unshift(readUnits(part) ?? []);
      continue;
    }
    const next = steps[0];
    if (isQuery(part) && isCapture(next) && next.operator === '&') {
      steps[0] = joinQueries(part, next);
    } else {
      steps.unshift(...toCaptures(part, claimed));
    }
    if (isQuery(part) || part.operator === '#') claimed += part.operator;
  }
  return steps;
}

function isQuery(expression: Expression): boolean {
  return expression.operator === '?' || expression.operator === '&';
}

function isCapture(step: Step | undefined): step is Capture {
  return step !== undefined && 'operator' in step;
}

/** `{?a}{&b}` is one query: its parameters come in any order, and without `a` it starts with "&". */
function joinQueries(first: Expression, rest: Capture): Capture {
  const leads = rest.leads.includes(first.operator) ? rest.leads : rest.leads + first.operator;
  return { ...rest, operator: first.operator, leads, specs: [...first.specs, ...rest.specs] };
}

function toCaptures(expression: Expression, claimed: string): Capture[] {
  const { operator, specs } = expression;
  const { first, separator, named, reserved } = OPERATORS[operator];
  if (named) {
    const stops = operator === ';' ? '/?#' : '#';
    return [{ operator, specs, leads: first, optional: operator !== ';', stops, most: Infinity }];
  }
  return specs.map((spec, index) => {
    const own = specs.length > 1 ? separator : '';
    const stops = (reserved ? '' : '/?#') + own + claimed;
    return {
      operator,
      specs: [spec],
      leads: index === 0 ? first : separator,
      optional: false,
      stops: spec.explode ? stops.replaceAll(separator, '') : stops,
      most: spec.prefix ?? Infinity,
    };
  });
}

function matchSteps(
  steps: readonly Step[],
  uri: string,
  allowEscapes: boolean,
): Record<string, string | string[]> | undefined {
  const units = readUnits(uri);
  if (units === undefined) return undefined;
  const rows = findRows(steps, units);
  if (rows[0]?.[0] !== 1) return undefined;
  const found = new Map<string, Found>();
  let at = 0;
  for (const [index, step] of steps.entries()) {
    if (!isCapture(step)) {
      at += step.length;
      continue;
    }
    const [from, to] = takeLongest(step, units, at, rows[index + 1]!);
    at = to;
    const values = readCapture(step, units.slice(from, to), allowEscapes);
    if (values === undefined || !values.every(value => remember(found, value))) return undefined;
  }
  return Object.fromEntries([...found].map(([name, { value }]) => [name, value]));
}

/** Reads percent-encoding; undefined if it is malformed or not UTF-8. */
function readUnits(text: string): Unit[] | undefined {
  try {
    const ascii = text.replace(/[\u0080-\uffff]+/g, piece => encodeURIComponent(piece));
    return [...ascii.matchAll(/(?:%[0-9A-Fa-f]{2})+|./gs)].flatMap(([piece]) => decodePiece(piece));
  } catch {
    return undefined;
  }
}

/** @param piece one character, or a run of encoded octets; throws a `URIError` if these are not UTF-8 */
function decodePiece(piece: string): Unit[] {
  let at = 0;
  return [...decodeURIComponent(piece)].map(value => {
    const from = at;
    at += piece.length === 1 ? 1 : 3 * countOctets(value);
    return { raw: piece.slice(from, at), value };
  });
}

function countOctets(char: string): number {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}

function findRows(steps: readonly Step[], units: readonly Unit[]): Uint8Array[] {
  const end = new Uint8Array(units.length + 1);
  end[units.length] = 1;
  const rows: Uint8Array[] = [end];
  for (const step of steps.toReversed()) {
    const rest = rows[rows.length - 1]!;
    rows.push(isCapture(step) ? captureRow(step, units, rest) : literalRow(step, units, rest));
  }
  return rows.reverse();
}

function literalRow(literal: readonly Unit[], units: readonly Unit[], rest: Uint8Array): Uint8Array {
  return rest.map((_, at) =>
    rest[at + literal.length] === 1 && literal.every((unit, offset) => unit.raw === units[at + offset]?.raw)
      ? 1
      : 0,
  );
}

function captureRow(capture: Capture, units: readonly Unit[], rest: Uint8Array): Uint8Array {
  const row = new Uint8Array(rest.length);
  let distance = Infinity; // how many characters of the value come before the nearest place to go on from
  let bodyAfter = false; // whether a value can start one character further right
  for (let at = units.length; at >= 0; at--) {
    const unit = units[at];
    const allowed = unit !== undefined && isAllowed(capture, unit);
    const body = allowed && distance < capture.most;
    const led = unit !== undefined && capture.leads.includes(unit.raw) && bodyAfter;
    const matches = capture.leads === '' ? body : led || (capture.optional && rest[at] === 1);
    row[at] = matches ? 1 : 0;
    distance = rest[at] === 1 ? 0 : allowed ? distance + 1 : Infinity;
    bodyAfter = body;
  }
  return row;
}

function isAllowed(capture: Capture, unit: Unit): boolean {
  return unit.raw.length > 1 || !capture.stops.includes(unit.raw);
}

/** Where the value starts and ends; both at `at` if an optional expression is missing. */
function takeLongest(
  capture: Capture,
  units: readonly Unit[],
  at: number,
  rest: Uint8Array,
): readonly [from: number, to: number] {
  const led = capture.leads === '' || capture.leads.includes(units[at]?.raw ?? 'none');
  const from = capture.leads === '' ? at : at + 1;
  let longest = -1;
  for (let to = from; led && to < units.length && to - from < capture.most; to++) {
    if (!isAllowed(capture, units[to]!)) break;
    if (rest[to + 1] === 1) longest = to + 1;
  }
  return longest === -1 ? [at, at] : [from, longest];
}

interface Found {
  spec: Spec;
  value: string | string[];
}

/** The values in the text of an expression, or undefined if it cannot be read or is refused. */
function readCapture(capture: Capture, text: readonly Unit[], allowEscapes: boolean): Found[] | undefined {
  const { separator, named, reserved } = OPERATORS[capture.operator];
  const found: Found[] = [];
  const groups = named ? readPairs(capture, text) : readItems(capture.specs[0]!, text, separator);
  if (groups === undefined) return undefined;
  for (const [spec, items] of groups) {
    if (spec.prefix !== undefined && items.some(item => item.length > spec.prefix!)) return undefined;
    const values = items.map(item => item.map(unit => unit.value).join(''));
    if (!allowEscapes && values.some(value => escapesPath(value, reserved))) return undefined;
    found.push({ spec, value: spec.explode ? values : values[0]! });
  }
  return found;
}

type Items = readonly (readonly Unit[])[];

function readItems(spec: Spec, text: readonly Unit[], separator: string): Map<Spec, Items> | undefined {
  const items = spec.explode ? splitUnits(text, separator) : [text];
  return items.some(item => item.length === 0) ? undefined : new Map([[spec, items]]);
}

/** `a=1&b=2` by variable. An unknown name, or one that is repeated without `*`, is another resource. */
function readPairs(capture: Capture, text: readonly Unit[]): Map<Spec, Items> | undefined {
  const pairs = new Map<Spec, (readonly Unit[])[]>();
  const pieces = text.length === 0 ? [] : splitUnits(text, OPERATORS[capture.operator].separator);
  for (const piece of pieces) {
    const sign = piece.findIndex(unit => unit.raw === '=');
    const name = sign === -1 ? piece : piece.slice(0, sign);
    const value = sign === -1 ? [] : piece.slice(sign + 1);
    const spec = capture.specs.find(candidate => candidate.name === name.map(unit => unit.raw).join(''));
    if (spec === undefined) return undefined;
    const earlier = pairs.get(spec);
    if (earlier === undefined) pairs.set(spec, [value]);
    else if (spec.explode) earlier.push(value);
    else return undefined;
  }
  return capture.optional || pairs.size === capture.specs.length ? pairs : undefined;
}

function splitUnits(text: readonly Unit[], separator: string): Unit[][] {
  const pieces: Unit[][] = [[]];
  for (const unit of text) {
    if (unit.raw === separator) pieces.push([]);
    else pieces[pieces.length - 1]!.push(unit);
  }
  return pieces;
}

/** Whether a file name or path that is made with this value could lie outside of its folder. */
function escapesPath(value: string, reserved: boolean): boolean {
  if (value.includes('\0')) return true;
  if (!reserved) return /[\\/]/.test(value) || value === '.' || value === '..';
  return (
    /^(?:[A-Za-z]:)?[\\/]/.test(value) || value.split(/[\\/]/).some(part => part === '.' || part === '..')
  );
}

/** A variable that occurs twice must say the same; `{id:2}` must be the beginning of `{id}`. */
function remember(found: Map<string, Found>, next: Found): boolean {
  const known = found.get(next.spec.name);
  if (known === undefined || isBeginning(known, next)) {
    found.set(next.spec.name, next);
    return true;
  }
  return isBeginning(next, known) || JSON.stringify(known.value) === JSON.stringify(next.value);
}

function isBeginning(part: Found, whole: Found): boolean {
  return (
    part.spec.prefix !== undefined &&
    typeof part.value === 'string' &&
    typeof whole.value === 'string' &&
    whole.value.startsWith(part.value)
  );
}
