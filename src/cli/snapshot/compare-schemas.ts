import type { JsonSchema } from 'tenon/protocol';
import { propertiesOf, requiredOf, resolveSchema, typesOf } from '../schema/resolve.js';

/** Whether values of a schema go to the server, or come from it. */
export type Way = 'input' | 'output';

/**
 * How a schema has changed: it accepts fewer values (`narrower`), or more (`wider`). Clients break where an input accepts
 * less, or an output may contain more. `broken` breaks them in both; `other` in neither.
 */
type Effect = 'narrower' | 'wider' | 'broken' | 'other';

export interface SchemaChange {
  readonly isBreaking: boolean;
  readonly what: string;
}

/** Deeper than any schema that people write. */
const MAX_DEPTH = 50;

/** Compares the schemas of a tool. Schemas that refer to themselves are followed once. */
export function compareSchemas(before: JsonSchema, after: JsonSchema, way: Way): SchemaChange[] {
  const comparison = new Comparison(before, after, way);
  comparison.compare('', before, after, 0);
  return comparison.changes;
}

class Comparison {
  readonly changes: SchemaChange[] = [];
  readonly #before: JsonSchema;
  readonly #after: JsonSchema;
  readonly #way: Way;
  readonly #seen = new Set<string>();

  constructor(before: JsonSchema, after: JsonSchema, way: Way) {
    this.#before = before;
    this.#after = after;
    this.#way = way;
  }

  compare(path: string, left: unknown, right: unknown, depth: number): void {
    if (depth > MAX_DEPTH || this.#isSeen(left, right)) return;
    const before = resolveSchema(left, this.#before);
    const after = resolveSchema(right, this.#after);
    this.#compareTypes(path, before, after);
    this.#compareChoices(path, before, after);
    this.#compareBounds(path, before, after);
    this.#compareProperties(path, before, after, depth);
    if (before.items !== undefined || after.items !== undefined)
      this.compare(`${path}[]`, before.items ?? {}, after.items ?? {}, depth + 1);
    this.#compareAlternatives(path, before, after, depth);
  }

  /** A pair of references is compared once: a schema that recurses has no end. */
  #isSeen(left: unknown, right: unknown): boolean {
    const [before, after] = [left, right].map(one => (one as JsonSchema | undefined)?.$ref);
    if (before === undefined && after === undefined) return false;
    const key = JSON.stringify([before, after]);
    if (this.#seen.has(key)) return true;
    this.#seen.add(key);
    return false;
  }

  #compareTypes(path: string, before: JsonSchema, after: JsonSchema): void {
    const [left, right] = [typesOf(before), typesOf(after)];
    const lost = right.length === 0 ? [] : left.filter(type => !accepts(right, type));
    const gained = left.length === 0 ? [] : right.filter(type => !accepts(left, type));
    const words = `${path || 'the value'}: type was ${left.join(' | ') || 'anything'}, and is ${right.join(' | ') || 'anything'}`;
    if (lost.length > 0 && gained.length > 0) this.#add('broken', words);
    else if (lost.length > 0 || (left.length === 0 && right.length > 0)) this.#add('narrower', words);
    else if (gained.length > 0 || (right.length === 0 && left.length > 0)) this.#add('wider', words);
  }

  #compareChoices(path: string, before: JsonSchema, after: JsonSchema): void {
    const [left, right] = [choicesOf(before), choicesOf(after)];
    const name = path || 'the value';
    if (!left && right) return this.#add('narrower', `${name}: only ${right.join(', ')} is allowed now`);
    if (left && !right) return this.#add('wider', `${name}: more than ${left.join(', ')} is allowed now`);
    for (const one of left ?? [])
      if (!right?.includes(one)) this.#add('narrower', `${name}: ${one} was removed`);
    for (const one of right ?? []) if (!left?.includes(one)) this.#add('wider', `${name}: ${one} was added`);
  }

  #compareBounds(path: string, before: JsonSchema, after: JsonSchema): void {
    for (const [bound, direction] of BOUNDS) {
      const [left, right] = [before[bound], after[bound]];
      if (left === right) continue;
      const [from, to] = [left, right].map(one =>
        typeof one === 'number' ? one * direction : Number.NEGATIVE_INFINITY,
      );
      this.#add((to as number) > (from as number) ? 'narrower' : 'wider', changed(path, bound, left, right));
    }
    for (const rule of ['pattern', 'format']) {
      const [left, right] = [before[rule], after[rule]];
      if (left === right) continue;
      const effect = left === undefined ? 'narrower' : right === undefined ? 'wider' : 'broken';
      this.#add(effect, changed(path, rule, left, right));
    }
    for (const text of ['description', 'title', 'default']) {
      const [left, right] = [before[text], after[text]].map(one => JSON.stringify(one));
      if (path !== '' && left !== right) this.#add('other', `${path}: ${text} changed`);
    }
  }

  #compareProperties(path: string, before: JsonSchema, after: JsonSchema, depth: number): void {
    const [left, right] = [propertiesOf(before), propertiesOf(after)];
    const [wasRequired, isRequired] = [new Set(requiredOf(before)), new Set(requiredOf(after))];
    for (const [name, schema] of left) {
      const place = join(path, name);
      if (!right.has(name)) {
        this.#add('broken', `${place} was removed`);
        continue;
      }
      if (!wasRequired.has(name) && isRequired.has(name)) this.#add('narrower', `${place} is now required`);
      if (wasRequired.has(name) && !isRequired.has(name))
        this.#add('wider', `${place} is no longer required`);
      this.compare(place, schema, right.get(name), depth + 1);
    }
    for (const name of right.keys()) {
      if (left.has(name)) continue;
      const required = isRequired.has(name);
      const breaks = required && this.#way === 'input';
      this.#add(
        breaks ? 'broken' : 'other',
        `${join(path, name)} was added${required ? ', and is required' : ''}`,
      );
    }
    const [wasClosed, isClosed] = [before, after].map(one => one.additionalProperties === false);
    if (!wasClosed && isClosed)
      this.#add('narrower', `${path || 'the object'}: other properties are refused now`);
  }

  /** Alternatives have no names, so that they are compared as wholes. */
  #compareAlternatives(path: string, before: JsonSchema, after: JsonSchema, depth: number): void {
    const [left, right] = [alternativesOf(before), alternativesOf(after)];
    if (left.length === 1 && right.length === 1) return this.compare(path, left[0], right[0], depth + 1);
    const [known, offered] = [left.map(canonical), right.map(canonical)];
    const lost = known.filter(one => !offered.includes(one)).length;
    const gained = offered.filter(one => !known.includes(one)).length;
    const name = path || 'the value';
    if (lost > 0)
      this.#add(
        right.length === 0 ? 'wider' : 'narrower',
        `${name}: ${lost} of its alternatives changed or went`,
      );
    if (gained > 0)
      this.#add(left.length === 0 ? 'narrower' : 'wider', `${name}: ${gained} of its alternatives are new`);
  }

  #add(effect: Effect, what: string): void {
    const isBreaking = effect === 'broken' || effect === (this.#way === 'input' ? 'narrower' : 'wider');
    this.changes.push({ isBreaking, what });
  }
}

/** Bounds of values, and the direction in which they get narrower. */
const BOUNDS: readonly [string, 1 | -1][] = [
  ['minimum', 1],
  ['exclusiveMinimum', 1],
  ['minLength', 1],
  ['minItems', 1],
  ['minProperties', 1],
  ['maximum', -1],
  ['exclusiveMaximum', -1],
  ['maxLength', -1],
  ['maxItems', -1],
  ['maxProperties', -1],
];

function accepts(types: readonly string[], type: string): boolean {
  return types.includes(type) || (type === 'integer' && types.includes('number'));
}

function choicesOf({ enum: list, const: only }: JsonSchema): string[] | undefined {
  if (Array.isArray(list)) return list.map(one => JSON.stringify(one));
  return only === undefined ? undefined : [JSON.stringify(only)];
}

function alternativesOf({ anyOf, oneOf }: JsonSchema): unknown[] {
  return [anyOf, oneOf].flatMap(list => (Array.isArray(list) ? list : []));
}

function canonical(schema: unknown): string {
  return JSON.stringify(schema, (_, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}

function changed(path: string, rule: string, from: unknown, to: unknown): string {
  const [left, right] = [from, to].map(one => (one === undefined ? 'none' : JSON.stringify(one)));
  return `${path || 'the value'}: ${rule} was ${left}, and is ${right}`;
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
