import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ERROR } from '../protocol/errors.js';
import { errorText, notificationText, readMessage, requestText, resultText } from './message.js';

const SEED = 20260728;

/** What may be wrong with something that is not even a message. */
const CODES: ReadonlySet<number> = new Set([ERROR.parse, ERROR.invalidRequest, ERROR.invalidParams]);

const scalar = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    0,
    -0,
    1,
    -1,
    1.5,
    1e300,
    2 ** 53,
    -(2 ** 53),
    '',
    '2.0',
    'ping',
  ),
  fc.string({ maxLength: 5 }),
  fc.integer(),
);
const anything = fc.oneof(
  { weight: 4, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 2 }) },
  {
    weight: 1,
    arbitrary: fc.dictionary(fc.constantFrom('code', 'message', 'data', '__proto__', 'toString'), scalar),
  },
);
const jsonrpc = fc.oneof({ weight: 6, arbitrary: fc.constant('2.0') }, { weight: 1, arbitrary: anything });

/** Objects that look like messages, with anything in any member. */
const messageLike = fc.record(
  {
    jsonrpc,
    id: anything,
    method: fc.oneof(fc.constantFrom<unknown>('ping', 'tools/call', '__proto__', ''), anything),
    params: anything,
    result: anything,
    error: fc.oneof(fc.constant<unknown>({ code: -32000, message: 'no' }), anything),
    extra: anything,
  },
  { requiredKeys: [] },
);

const id = fc.oneof(fc.string(), fc.maxSafeInteger());
const params = fc.dictionary(fc.string(), fc.jsonValue());

describe('readMessage', () => {
  test('never throws, never invents an id, and refuses with a code of JSON-RPC', () => {
    fc.assert(
      fc.property(messageLike, value => {
        const message = readMessage(JSON.parse(JSON.stringify(value)));
        if (message.kind === 'notification') return value.id === undefined && message.method === value.method;
        if (message.id !== undefined && message.id !== value.id) return false;
        if (message.kind !== 'malformed') return true;
        // The id of a response is not one that the peer has given.
        const isResponse =
          value.method === undefined && (value.result !== undefined || value.error !== undefined);
        return CODES.has(message.error.code) && !(isResponse && message.id !== undefined);
      }),
      { numRuns: 60_000, seed: SEED },
    );
  });

  test('never takes anything but an object for a message', () => {
    const noObject = fc.oneof(scalar, fc.array(messageLike, { maxLength: 3 }));
    fc.assert(
      fc.property(noObject, value => {
        const message = readMessage(value);
        return message.kind === 'malformed' && message.id === undefined;
      }),
      { numRuns: 5000, seed: SEED },
    );
  });

  test('reads back every request, notification, result and error that is written', () => {
    fc.assert(
      fc.property(
        id,
        fc.string(),
        params,
        fc.integer(),
        fc.option(fc.jsonValue(), { nil: undefined }),
        (id, text, object, code, data) => {
          const read = (written: string) => readMessage(JSON.parse(written));
          const copy = JSON.parse(JSON.stringify(object));
          expect(read(requestText(id, text, object))).toEqual({
            kind: 'request',
            id,
            method: text,
            params: copy,
            weight: 0,
          });
          expect(read(notificationText(text, object))).toEqual({
            kind: 'notification',
            method: text,
            params: copy,
            weight: 0,
          });
          expect(read(notificationText(text))).toEqual({
            kind: 'notification',
            method: text,
            params: {},
            weight: 0,
          });
          expect(read(resultText(id, JSON.stringify(object)))).toEqual({
            kind: 'response',
            id,
            outcome: { result: copy },
            weight: 0,
          });
          for (const known of [id, undefined]) {
            expect(read(errorText(known, { code, message: text, data }))).toEqual({
              kind: 'response',
              id: known,
              outcome: {
                error: {
                  code,
                  message: text,
                  data: data === undefined ? undefined : JSON.parse(JSON.stringify(data)),
                },
              },
              weight: 0,
            });
          }
        },
      ),
      { numRuns: 1000, seed: SEED },
    );
  });

  test('reads an error without an id, or with null, as one that belongs to no request', () => {
    const error = { code: -32700, message: 'parse error' };
    for (const value of [
      { jsonrpc: '2.0', error },
      { jsonrpc: '2.0', id: null, error },
    ]) {
      expect(readMessage(value)).toEqual({
        kind: 'response',
        id: undefined,
        outcome: { error: { ...error, data: undefined } },
        weight: 0,
      });
    }
    expect(readMessage({ jsonrpc: '2.0', result: {} })).toMatchObject({ kind: 'malformed', id: undefined });
  });

  test('tells what something malformed was to answer, but never takes a request for an answer', () => {
    const answerTo = (value: object) => {
      const message = readMessage({ jsonrpc: '2.0', id: 7, ...value });
      return message.kind === 'malformed' ? message.answerTo : message.kind;
    };
    for (const value of [{ result: null }, { error: 'x' }, { result: {}, error: {} }, {}, { jsonrpc: 2 }])
      expect(answerTo(value)).toBe(7);
    for (const value of [{ id: null, result: {} }, { method: 1 }, { method: 'x', params: 1 }, { id: 1.5 }])
      expect(answerTo(value)).toBeUndefined();
    expect(answerTo({ method: 'x', result: null })).toBe('request');
  });

  test('keeps __proto__ an ordinary member', () => {
    const message = readMessage(
      JSON.parse('{"jsonrpc":"2.0","id":1,"method":"x","params":{"__proto__":{"a":1}}}'),
    );
    expect(message.kind === 'request' && Object.keys(message.params)).toEqual(['__proto__']);
    expect({}).not.toHaveProperty('a');
  });
});
