import { checkText } from './check-text.js';
import { choicesOf, kindOf, variantsOf } from './kind.js';
import { isRequired, isSchema, memberOf, numberOf, propertiesOf, resolve, type Schema } from './schema.js';

/** Something that the server would probably refuse. */
export interface Flaw {
  /** Where it is: a JSON pointer. */
  readonly path: string;
  readonly message: string;
}

const MAX_DEPTH = 40;

/** Compares a value with its schema. The server decides in the end; this only helps the user to fill in the form. */
export function check(value: unknown, given: unknown, root: Schema, path = '', depth = 0): Flaw[] {
  if (depth > MAX_DEPTH) return [];
  const schema = resolve(given, root);
  const say = (message: string | undefined): Flaw[] => (message === undefined ? [] : [{ path, message }]);
  switch (kindOf(schema)) {
    case 'constant':
      return say(isEqual(value, schema.const) ? undefined : `must be ${JSON.stringify(schema.const)}`);
    case 'choice':
      return say(choicesOf(schema)?.some(choice => isEqual(choice.value, value)) ? undefined : 'choose one');
    case 'union':
      return checkVariants(value, variantsOf(schema, root), root, path, depth);
    case 'text':
      return say(typeof value === 'string' ? checkText(value, schema) : 'must be a text');
    case 'number':
      return say(checkNumber(value, schema));
    case 'boolean':
      return say(typeof value === 'boolean' ? undefined : 'must be yes or no');
    case 'null':
      return say(value === null ? undefined : 'must be null');
    case 'list':
    case 'choices':
      return Array.isArray(value) ? checkList(value, schema, root, path, depth) : say('must be a list');
    case 'object':
    case 'map':
      return isSchema(value) ? checkObject(value, schema, root, path, depth) : say('must be an object');
    case 'any':
      return [];
  }
}

/** The pointer to a member. */
export function below(path: string, step: string | number): string {
  return `${path}/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function checkVariants(
  value: unknown,
  variants: Schema[],
  root: Schema,
  path: string,
  depth: number,
): Flaw[] {
  const results = variants.map(variant => check(value, variant, root, path, depth + 1));
  if (results.length === 0 || results.some(flaws => flaws.length === 0)) return [];
  // The variant that fits best is probably the one that is meant.
  return results.reduce((best, flaws) => (depthOf(flaws) > depthOf(best) ? flaws : best));
}

/** A flaw deep inside shows that the rest fits. */
function depthOf(flaws: Flaw[]): number {
  return Math.min(...flaws.map(({ path }) => path.length));
}

function checkNumber(value: unknown, schema: Schema): string | undefined {
  if (typeof value !== 'number') return 'must be a number';
  if (schema.type === 'integer' && !Number.isInteger(value)) return 'must be a whole number';
  const least = numberOf(schema, 'minimum');
  const most = numberOf(schema, 'maximum');
  const above = numberOf(schema, 'exclusiveMinimum');
  const under = numberOf(schema, 'exclusiveMaximum');
  if (least !== undefined && value < least) return `must be at least ${least}`;
  if (most !== undefined && value > most) return `must be at most ${most}`;
  if (above !== undefined && value <= above) return `must be more than ${above}`;
  if (under !== undefined && value >= under) return `must be less than ${under}`;
  return undefined;
}

function checkList(list: unknown[], schema: Schema, root: Schema, path: string, depth: number): Flaw[] {
  const least = numberOf(schema, 'minItems') ?? 0;
  const most = numberOf(schema, 'maxItems') ?? Number.POSITIVE_INFINITY;
  const flaws = list.flatMap((item, at) => check(item, schema.items, root, below(path, at), depth + 1));
  if (list.length < least)
    flaws.unshift({ path, message: `needs at least ${least} ${least === 1 ? 'entry' : 'entries'}` });
  if (list.length > most)
    flaws.unshift({ path, message: `takes at most ${most} ${most === 1 ? 'entry' : 'entries'}` });
  if (schema.uniqueItems === true && new Set(list.map(item => JSON.stringify(item))).size < list.length) {
    flaws.unshift({ path, message: 'has the same entry twice' });
  }
  return flaws;
}

function checkObject(object: Schema, schema: Schema, root: Schema, path: string, depth: number): Flaw[] {
  const properties = new Map(propertiesOf(schema));
  const flaws: Flaw[] = [];
  for (const [name, property] of properties) {
    const value = memberOf(object, name);
    if (value !== undefined) flaws.push(...check(value, property, root, below(path, name), depth + 1));
    else if (isRequired(schema, name)) flaws.push({ path: below(path, name), message: 'is required' });
  }
  for (const [name, value] of Object.entries(object)) {
    if (properties.has(name)) continue;
    const extra = schema.additionalProperties;
    if (extra === false) flaws.push({ path, message: `has no "${name}"` });
    else if (isSchema(extra)) flaws.push(...check(value, extra, root, below(path, name), depth + 1));
  }
  return flaws;
}

function isEqual(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
