import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { UsageError } from '../../base/errors.js';
import type { Call } from '../../protocol/call.js';
import type { InputResponse } from '../../protocol/input.js';
import { readAnswer, readState } from './by-hand.js';

// Whole handlers that ask by hand are in test/rounds/by-hand.test.ts.

const PARTY = z.object({ guests: z.coerce.number().int().min(1), diet: z.string().default('any') });

function callWith(responses?: Record<string, unknown>, requestState?: string): Call {
  const inputResponses = responses && new Map(Object.entries(responses) as [string, InputResponse][]);
  return { inputResponses, requestState } as unknown as Call;
}

describe('the answer to a form that was asked by hand', () => {
  it('is not there before it was given', async () => {
    expect(await readAnswer(callWith(), 'party', PARTY)).toBeUndefined();
    expect(await readAnswer(callWith({ other: { action: 'accept' } }), 'party', PARTY)).toBeUndefined();
  });

  it('is what the schema makes of it', async () => {
    const call = callWith({ party: { action: 'accept', content: { guests: '2', extra: 1 } } });
    expect(await readAnswer(call, 'party', PARTY)).toEqual({
      action: 'accept',
      content: { guests: 2, diet: 'any' },
    });
  });

  it.each(['decline', 'cancel'])('may be %s, without content', async action => {
    const call = callWith({ party: { action, content: { guests: 2 } } });
    expect(await readAnswer(call, 'party', PARTY)).toEqual({ action });
  });

  it('is refused if it does not fit, or is none', async () => {
    const cases: [unknown, RegExp][] = [
      [{ action: 'accept', content: { guests: 0 } }, /^the answer to "party" does not fit: guests: /],
      [{ action: 'accept' }, /^the answer to "party" does not fit: guests: /],
      [{ action: 'perhaps' }, /^the client's answer to elicitation\/create is not a result/],
      [{}, /^the client's answer to elicitation\/create is not a result/],
    ];
    for (const [response, message] of cases) {
      await expect(readAnswer(callWith({ party: response }), 'party', PARTY)).rejects.toMatchObject({
        code: -32602,
        message: expect.stringMatching(message),
      });
    }
  });

  it('may be checked with a schema that is no form', async () => {
    const call = callWith({ party: { action: 'accept', content: {} } });
    await expect(readAnswer(call, 'party', z.string())).rejects.toThrow(UsageError);
  });
});

describe('the answer to another question that was asked by hand', () => {
  const ANSWERS = {
    page: { action: 'accept' },
    model: { role: 'assistant', model: 'm', content: { type: 'text', text: 'soup' } },
    folders: { roots: [{ uri: 'file:///work' }] },
  };

  it.each([
    ['page', 'elicitation/create'],
    ['model', 'sampling/createMessage'],
    ['folders', 'roots/list'],
  ] as const)('%s is what the client answered to %s', async (name, method) => {
    expect(await readAnswer(callWith(ANSWERS), name, method)).toEqual(ANSWERS[name]);
    expect(await readAnswer(callWith(), name, method)).toBeUndefined();
    for (const wrong of Object.keys(ANSWERS).filter(other => other !== name)) {
      await expect(readAnswer(callWith(ANSWERS), wrong, method)).rejects.toMatchObject({
        code: -32602,
        message: `the client's answer to ${method} is not a result of ${method}`,
      });
    }
  });
});

describe('the state that a handler kept by hand', () => {
  const schema = z.object({ step: z.number() });

  it('is undefined if there is none', async () => {
    expect(await readState(callWith({}), schema)).toBeUndefined();
  });

  it('is what the schema makes of it', async () => {
    expect(await readState(callWith({}, '{"step":2,"more":true}'), schema)).toEqual({ step: 2 });
    expect(await readState(callWith({}, 'null'), z.null())).toBeNull();
  });

  it('that does not fit is the mistake of the handler', async () => {
    await expect(readState(callWith({}, '{"step":"two"}'), schema)).rejects.toThrow(UsageError);
    await expect(readState(callWith({}, 'not JSON'), schema)).rejects.toThrow(
      'the state of this round is not JSON: read it from ctx.requestState',
    );
  });
});
