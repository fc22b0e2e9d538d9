import { type Expression, OPERATORS, type Spec, type TemplatePart } from './parse.js';
import { readUnits, type Unit } from './units.js';

// Matching. A URI is read as a list of characters, and a template as a list of steps. Working backwards through
// the steps, one row for each says from which characters the rest of the template can be matched; with these
// rows, one pass forwards takes as much as possible at each step and never has to turn back. The cost is the
// length of the URI times the length of the template, whatever they contain.

interface Capture extends Expression {
  /** The expression begins with one of these characters; if there are none, with its value. */
  leads: string;
  /** Whether the expression may be missing. */
  optional: boolean;
  /** Characters that end the value, unless they are percent-encoded. */
  stops: string;
  /** The largest number of characters in the value. */
  most: number;
}

export type MatchStep = readonly Unit[] | Capture;

/** Compiles a template into steps for `matchSteps`. */
export function compileSteps(parts: readonly TemplatePart[]): MatchStep[] {
  const steps: MatchStep[] = [];
  // The character that starts a later query or fragment is not part of an earlier value: {+path}{?page}.
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

function isCapture(step: MatchStep | undefined): step is Capture {
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

/** The values that expand a template to this URI, if there are any. */
export function matchSteps(
  steps: readonly MatchStep[],
  uri: string,
  allowEscapes: boolean,
): Record<string, string | string[]> | undefined {
  const units = readUnits(uri);
  if (units === undefined) return undefined;
  const rows = findRows(steps, units);
  if (rows?.[0]?.[0] !== 1) return undefined;
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

/** The rows of all steps; undefined if the template cannot match, which often shows after the first ones. */
function findRows(steps: readonly MatchStep[], units: readonly Unit[]): Uint8Array[] | undefined {
  const end = new Uint8Array(units.length + 1);
  end[units.length] = 1;
  const rows: Uint8Array[] = [end];
  for (const step of steps.toReversed()) {
    const rest = rows[rows.length - 1]!;
    const row = isCapture(step) ? captureRow(step, units, rest) : literalRow(step, units, rest);
    if (!row.includes(1)) return undefined;
    rows.push(row);
  }
  return rows.reverse();
}

function literalRow(literal: readonly Unit[], units: readonly Unit[], rest: Uint8Array): Uint8Array {
  const row = new Uint8Array(rest.length);
  for (let at = 0; at + literal.length < rest.length; at++) {
    if (rest[at + literal.length] === 1 && standsAt(literal, units, at)) row[at] = 1;
  }
  return row;
}

function standsAt(literal: readonly Unit[], units: readonly Unit[], at: number): boolean {
  return literal.every((unit, offset) => unit.raw === units[at + offset]?.raw);
}

function captureRow(capture: Capture, units: readonly Unit[], rest: Uint8Array): Uint8Array {
  const { leads, most, optional } = capture;
  const row = new Uint8Array(rest.length);
  let distance = Infinity; // how many characters of the value come before the nearest place to go on from
  let bodyAfter = false; // whether a value can start one character further right
  for (let at = units.length; at >= 0; at--) {
    const unit = units[at];
    const canEnd = rest[at] === 1;
    const allowed = unit !== undefined && isAllowed(capture, unit);
    const body = allowed && distance < most;
    const led = bodyAfter && unit !== undefined && leads.includes(unit.raw);
    const matches = leads === '' ? body : led || (optional && canEnd);
    if (matches) row[at] = 1;
    distance = canEnd ? 0 : allowed ? distance + 1 : Infinity;
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
  const { separator, named } = OPERATORS[capture.operator];
  const found: Found[] = [];
  const groups = named ? readPairs(capture, text) : readItems(capture.specs[0]!, text, separator);
  if (groups === undefined) return undefined;
  for (const [spec, items] of groups) {
    if (spec.prefix !== undefined && items.some(item => item.length > spec.prefix!)) return undefined;
    const values = items.map(item => item.map(unit => unit.value).join(''));
    if (!allowEscapes && values.some(value => escapesPath(value, capture))) return undefined;
    found.push({ spec, value: spec.explode ? values : values[0]! });
  }
  return found;
}

type Items = readonly (readonly Unit[])[];

function readItems(spec: Spec, text: readonly Unit[], separator: string): Map<Spec, Items> | undefined {
  const items = spec.explode ? splitUnits(text, separator) : [text];
  return items.some(item => item.length === 0) ? undefined : new Map([[spec, items]]);
}

/** Parses `a=1&b=2` by variable. A URI with an unknown name, or with one repeated without `*`, does not match. */
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

/** Whether a file name or path that contains this value could lead out of its folder. */
function escapesPath(value: string, capture: Capture): boolean {
  if (value.includes('\0')) return true;
  // A query may contain a path or a URL, but not one that is absolute or contains `.` or `..`.
  const isOneName = !OPERATORS[capture.operator].reserved && !isQuery(capture);
  if (isOneName) return /[\\/]/.test(value) || value === '.' || value === '..';
  return (
    /^(?:[A-Za-z]:)?[\\/]/.test(value) || value.split(/[\\/]/).some(part => part === '.' || part === '..')
  );
}

/** A variable that occurs twice must have the same value; `{id:2}` must be the beginning of `{id}`. */
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
