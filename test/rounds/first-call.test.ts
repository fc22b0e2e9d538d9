import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Handler } from './asking.js';

// The code for questions and steps is loaded when it is first needed, which handlers must not notice. Every test begins
// with none of it loaded.
beforeEach(() => vi.resetModules());

async function serveFirst(handler: Handler, options: object = {}) {
  const asking = await import('./asking.js');
  return asking.serveAsking(handler, options);
}

const TEXT = { type: 'object', properties: { text: { type: 'string' } } } as const;

describe('the first call that a server gets', () => {
  it('sends the questions of the first turn together, and none of a later turn', async () => {
    const { call } = await serveFirst(async ctx => {
      const later = nextTurn().then(() => nextTurn().then(() => ctx.elicit('c', TEXT)));
      await Promise.all([ctx.elicit('a', TEXT), ctx.elicit('b', TEXT), later]);
      return 'done';
    });
    const first = await call();
    expect(first.messages).toEqual(['a', 'b']);
    const second = await first.answerAll();
    expect(second.messages).toEqual(['c']);
    expect((await second.answerAll()).text).toBe('done');
  });

  it('waits for the answer to a question that its handler did not await', async () => {
    const { call } = await serveFirst(ctx => {
      ctx.elicit('a', TEXT).catch(() => {});
      return 'too early';
    });
    expect((await call()).messages).toEqual(['a']);
  });

  it('keeps questions and steps in the order in which the handler began them', async () => {
    const begun: string[] = [];
    const { call } = await serveFirst(async ctx => {
      const one = ctx.step('one', () => begun.push('one'));
      const question = ctx.elicit('a', TEXT);
      const two = ctx.step('two', () => begun.push('two'));
      await Promise.all([one, question, two]);
      return 'done';
    });
    const first = await call();
    expect(Object.keys(first.questions)).toEqual(['q1']);
    expect((await first.answerAll()).text).toBe('done');
    expect(begun).toEqual(['one', 'two']);
  });

  it('runs steps in their order for a client that cannot be asked', async () => {
    const begun: string[] = [];
    const { call } = await serveFirst(
      async ctx => {
        const steps = ['one', 'two', 'three'].map(name => ctx.step(name, () => begun.push(name)));
        return (await Promise.all(steps)).join(' ');
      },
      { capabilities: {} },
    );
    expect((await call()).text).toBe('1 2 3');
    expect(begun).toEqual(['one', 'two', 'three']);
  });

  it('waits for running steps before the state of such a client is sealed', async () => {
    const begun: string[] = [];
    const { call } = await serveFirst(
      ctx => {
        const step = ctx.step('hold', () => nextTurn().then(() => begun.push('hold')));
        if (ctx.requestState !== undefined) return step.then(String);
        step.catch(() => {});
        return { resultType: 'input_required', requestState: 'again' };
      },
      { capabilities: {} },
    );
    const first = await call();
    expect(begun).toEqual(['hold']);
    expect((await first.retry({})).text).toBe('1');
    expect(begun).toEqual(['hold']);
  });

  it('tells a client that cannot be asked which capability is missing', async () => {
    const { call } = await serveFirst(ctx => ctx.elicit('a', TEXT), { capabilities: {} });
    expect((await call()).error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: { form: {} } } },
    });
  });
});
