import { identity } from '../equality.js';
import type { Keyword } from '../keyword.js';
import { clip, problem } from '../problem.js';

const TYPES: ReadonlyMap<unknown, (value: unknown) => boolean> = new Map([
  ['null', (value: unknown) => value === null],
  ['boolean', value => typeof value === 'boolean'],
  ['number', value => typeof value === 'number'],
  ['integer', value => Number.isInteger(value)],
  ['string', value => typeof value === 'string'],
  ['array', value => Array.isArray(value)],
  ['object', value => typeof value === 'object' && value !== null && !Array.isArray(value)],
]);

/** Keywords for values of every type. */
export const VALUES = {
  type(at) {
    const names = Array.isArray(at.operand) ? at.strings() : [at.string()];
    const tests = names.map(name => TYPES.get(name));
    if (tests.length === 0 || !tests.every(test => test !== undefined)) {
      throw at.refuse('must be one or more of the seven types');
    }
    const text = `must be ${[...new Set(names)].join(' or ')}`;
    return value => (tests.some(test => test(value)) ? undefined : problem(text));
  },

  enum(at) {
    const allowed = new Set(at.list().map(member => identity(member, at.budget)));
    const text = `must be one of ${list(at.list())}`;
    return (value, { budget }) => (allowed.has(identity(value, budget)) ? undefined : problem(text));
  },

  const(at) {
    const expected = identity(at.operand, at.budget);
    const text = `must be ${list([at.operand])}`;
    return (value, { budget }) => (identity(value, budget) === expected ? undefined : problem(text));
  },
} satisfies Record<string, Keyword>;

function list(values: readonly unknown[]): string {
  const some = values.slice(0, 10).map(value => clip(JSON.stringify(value), 60));
  return some.join(', ') + (values.length > some.length ? ', …' : '');
}
