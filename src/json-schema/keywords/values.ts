import { clip } from '../../base/clip.js';
import { isObject } from '../../base/json.js';
import { JsonSet } from '../equality.js';
import type { Keyword } from '../keyword.js';
import type { Check } from '../node.js';
import type { Place } from '../place.js';
import { problem } from '../problem.js';

const TYPES: ReadonlyMap<unknown, (value: unknown) => boolean> = new Map<
  unknown,
  (value: unknown) => boolean
>([
  ['null', value => value === null],
  ['boolean', value => typeof value === 'boolean'],
  ['number', value => typeof value === 'number'],
  ['integer', value => Number.isInteger(value)],
  ['string', value => typeof value === 'string'],
  ['array', value => Array.isArray(value)],
  ['object', isObject],
]);

/** Keywords for values of every type. */
export const VALUES = {
  type(at) {
    const names = Array.isArray(at.operand) ? at.strings() : [at.string()];
    const tests = names.map(name => TYPES.get(name));
    if (tests.length === 0 || !tests.every(test => test !== undefined)) {
      throw at.refuse('must be one or more of the seven types');
    }
    const text = `must be ${[...new Set(names)].map(withArticle).join(' or ')}`;
    const [only] = tests;
    if (only && tests.length === 1) return value => (only(value) ? undefined : problem(text));
    return value => (tests.some(test => test(value)) ? undefined : problem(text));
  },

  enum(at) {
    return checkOneOf(at.list(), 'must be one of', at);
  },

  const: at => checkOneOf([at.operand], 'must be', at),
} satisfies Record<string, Keyword>;

function checkOneOf(values: readonly unknown[], must: string, { budget }: Place): Check {
  const allowed = new JsonSet();
  for (const value of values) allowed.add(value, budget);
  const text = `${must} ${list(values)}`;
  return (value, run) => (allowed.has(value, run.budget) ? undefined : problem(text));
}

function withArticle(type: string): string {
  if (type === 'null') return type;
  return `${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`;
}

function list(values: readonly unknown[]): string {
  const some = values.slice(0, 10).map(value => clip(JSON.stringify(value), 60));
  return some.join(', ') + (values.length > some.length ? ', …' : '');
}
