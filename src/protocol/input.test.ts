import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ERROR, McpError } from './errors.js';
import {
  fromInputRequests,
  fromInputResponses,
  type InputRequest,
  type InputResponse,
  readInputAnswers,
  readInputRequired,
  toInputRequests,
  toInputResponses,
} from './input.js';
import { inputRequired } from './input-required.js';

const form: InputRequest = {
  method: 'elicitation/create',
  params: { mode: 'form', message: 'Name?', requestedSchema: { type: 'object', properties: {} } },
};
const roots: InputRequest = { method: 'roots/list' };
const accepted: InputResponse = { action: 'accept', content: { name: 'Ada' } };

/** Names that go wrong where an object is used as a map carelessly. */
const AWKWARD = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '', '10', 'a b'];
const names = fc.oneof(fc.constantFrom(...AWKWARD), fc.string());

describe('an input-required result', () => {
  it('carries questions, a state, or both', () => {
    expect(inputRequired({ requests: { q: form } })).toEqual({
      resultType: 'input_required',
      inputRequests: { q: form },
    });
    expect(inputRequired({ state: 's' })).toEqual({ resultType: 'input_required', requestState: 's' });
    expect(inputRequired({ requests: { q: roots }, state: 's' })).toEqual({
      resultType: 'input_required',
      inputRequests: { q: roots },
      requestState: 's',
    });
  });

  it('cannot be built without both', () => {
    expect(() => inputRequired({})).toThrow('inputRequired needs `requests`, `state`, or both');
  });

  it('tells an empty state from none', () => {
    expect(inputRequired({ state: '' })).toEqual({ resultType: 'input_required', requestState: '' });
    expect(readInputRequired({ resultType: 'input_required', requestState: '' })).toEqual({
      resultType: 'input_required',
      requestState: '',
    });
  });

  it('is read as it was built', () => {
    const result = inputRequired({ requests: { a: form, b: roots }, state: 's' });
    expect(readInputRequired(JSON.parse(JSON.stringify(result)))).toEqual(result);
  });

  it.each([
    undefined,
    null,
    [],
    'input_required',
    {},
    { resultType: 'complete', requestState: 's' },
    { resultType: 'input_required' },
    { resultType: 'input_required', requestState: 5 },
    { resultType: 'input_required', inputRequests: [] },
  ])('is not read from %j', value => {
    expect(readInputRequired(value)).toBeUndefined();
  });

  it('is read without questions that do not exist', () => {
    const result = {
      resultType: 'input_required',
      inputRequests: { a: roots, b: { method: 'tools/list' }, c: 5 },
    };
    expect(readInputRequired(result)?.inputRequests).toEqual({ a: roots });
  });
});

describe('questions', () => {
  it('go from a list to a map and back, whatever their names', () => {
    const list = fc.uniqueArray(fc.record({ id: names, question: fc.constantFrom(form, roots) }), {
      selector: ({ id }) => id,
    });
    fc.assert(
      fc.property(list, entries => {
        const named = entries.map(({ id, question }) => ({ ...question, id }));
        const map = JSON.parse(JSON.stringify(toInputRequests(named)));
        expect(Object.keys(map).length).toBe(named.length);
        expect(byId(fromInputRequests(map))).toEqual(byId(named));
      }),
    );
  });

  it('do not change the prototype of the map', () => {
    const map = toInputRequests([{ ...roots, id: '__proto__' }]);
    expect(Object.getPrototypeOf(map)).toBe(Object.prototype);
    expect(Object.hasOwn(map, '__proto__')).toBe(true);
  });

  it.each([undefined, null, 5, 'x', []])('are none in %j', map => {
    expect(fromInputRequests(map)).toEqual([]);
  });
});

describe('answers', () => {
  it('go from a list to a map and back, whatever their names', () => {
    const list = fc.uniqueArray(names).map(ids => ids.map(id => ({ id, response: accepted })));
    fc.assert(
      fc.property(list, answers => {
        const map = JSON.parse(JSON.stringify(toInputResponses(answers)));
        expect(byId(fromInputResponses(map))).toEqual(byId(answers));
      }),
    );
  });

  it.each([undefined, null, 5, 'x', []])('are none in %j', map => {
    expect(fromInputResponses(map)).toEqual([]);
  });
});

describe('the answers of a retried request', () => {
  it('are absent from a first request', () => {
    expect(readInputAnswers({ name: 'tool' })).toEqual({ responses: undefined, state: undefined });
  });

  it('come with their names, and an empty state is a state', () => {
    const { responses, state } = readInputAnswers({ inputResponses: { q: accepted }, requestState: '' });
    expect(responses).toEqual(new Map([['q', accepted]]));
    expect(state).toBe('');
  });

  it.each(AWKWARD)('may be called %j', name => {
    const params = JSON.parse(`{"inputResponses":{${JSON.stringify(name)}:{"action":"decline"}}}`);
    expect(readInputAnswers(params).responses?.get(name)).toEqual({ action: 'decline' });
    expect(readInputAnswers({ inputResponses: {} }).responses?.get(name)).toBeUndefined();
  });

  it.each([
    { requestState: 5 },
    { requestState: null },
    { requestState: {} },
    { inputResponses: null },
    { inputResponses: [] },
    { inputResponses: 'x' },
    { inputResponses: { q: null } },
    { inputResponses: { q: 'accept' } },
    { inputResponses: { q: [] } },
  ])('are refused with -32602 if they are malformed: %j', params => {
    expect(() => readInputAnswers(params)).toThrow(McpError);
    expect(() => readInputAnswers(params)).toThrow(expect.objectContaining({ code: ERROR.invalidParams }));
  });
});

function byId<T extends { id: string }>(list: readonly T[]): T[] {
  return [...list].sort((a, b) => (a.id < b.id ? -1 : 1));
}
