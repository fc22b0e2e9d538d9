import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../base/json.js';
import type { Request } from '../../jsonrpc/message.js';
import type { ClientCapabilities } from '../../protocol/capabilities.js';
import { isPageRequired, McpError, pagesRequired } from '../../protocol/errors.js';
import type { InputRequest } from '../../protocol/input.js';
import { Agreement } from '../../revisions/agreement.js';
import { findRevision, type Revision } from '../../revisions/index.js';
import { Ledger } from '../ledger.js';
import { ON_DEMAND } from '../loading.js';
import { pagesAsQuestions } from '../rounds/required-pages.js';
import { RunningCalls } from '../running-calls.js';
import { createSeal } from '../seal/seal.js';
import { ModernCall } from './call.js';
import { Rounds } from './rounds.js';

const REVISION = findRevision('2026-07-28') as Revision;
const QUESTION: InputRequest = {
  method: 'elicitation/create',
  params: { message: 'q', requestedSchema: { type: 'object' } },
};

function callOf(
  rounds: Rounds,
  method: string,
  params: JsonObject = {},
  clientCapabilities: ClientCapabilities = {},
): ModernCall {
  const request: Request = { kind: 'request', id: 1, method, params, weight: 0 };
  const envelope = { protocolVersion: REVISION.name, clientInfo: undefined, clientCapabilities } as never;
  const agreement = new Agreement(REVISION, clientCapabilities, {});
  const running = new RunningCalls().createList().start(request, new Ledger().open(), () => {});
  return new ModernCall(
    request,
    envelope,
    agreement,
    { send() {}, notify() {}, announce() {} },
    undefined,
    running,
    {
      part: ON_DEMAND,
      ended() {},
      redeem: state => rounds.redeem(state),
      pass: (state, number) => rounds.pass(state, number),
      warn() {},
    },
  );
}

function create() {
  const used: string[] = [];
  const singleUse = { redeem: (id: string) => !used.includes(id) && used.push(id) > 0 };
  return { used, rounds: new Rounds(createSeal(), singleUse) };
}

describe('rounds', () => {
  const { rounds } = create();

  it.each(['tools/call', 'prompts/get', 'resources/read'])(
    '%s goes on if it brings answers or a state',
    method => {
      expect(callOf(rounds, method).continues).toBe(false);
      expect(callOf(rounds, method, { inputResponses: {} }).continues).toBe(true);
      expect(callOf(rounds, method, { requestState: '' }).continues).toBe(true);
    },
  );

  // covers: 2026-07-28/mrtr/only-three-methods
  it.each(['tools/list', 'server/discover', 'completion/complete'])('%s never does', method => {
    expect(callOf(rounds, method, { inputResponses: {}, requestState: 'x' }).continues).toBe(false);
  });

  it('carry the number and the journal from one to the next', async () => {
    const journal = [{ s: 's', d: 1 as const, r: 7 }];
    const first = callOf(rounds, 'tools/call', { name: 'a' });
    first.resume({ round: 1, journal, passes: 0 }, undefined);
    const asked = await rounds.ask(first, { q1: QUESTION });
    expect(asked).toEqual({
      resultType: 'input_required',
      inputRequests: { q1: QUESTION },
      requestState: expect.any(String),
    });
    const { requestState } = asked as { requestState: string };
    const answer = { action: 'decline' };
    const call = callOf(rounds, 'tools/call', { name: 'a', requestState, inputResponses: { q1: answer } });
    await rounds.resume(call);
    expect(call.state.round).toBe(2);
    expect(call.state.journal).toEqual(journal);
    // It answers the journal: nothing was asked by hand.
    expect(call.inputResponses).toBeUndefined();
    expect(call.requestState).toBeUndefined();
    expect(await call.step('s', () => 8)).toBe(7);
  });

  it('begin anew without a state', async () => {
    const call = callOf(rounds, 'tools/call', { inputResponses: { q0: {} } });
    await rounds.resume(call);
    expect(call.state.round).toBe(1);
    expect(call.state.journal).toEqual([]);
    await call.once();
    await call.once();
  });

  it('fail with the problem of a handler', async () => {
    const problem = new McpError(-32603, 'what it must not');
    await expect(async () => rounds.ask(callOf(rounds, 'tools/call'), {}, problem)).rejects.toBe(problem);
  });

  it('are refused to methods that have none', async () => {
    const call = callOf(rounds, 'acme/ask');
    await expect(async () => rounds.ask(call, { q0: QUESTION })).rejects.toThrow(
      'a handler of acme/ask cannot ask',
    );
    const byHand = { resultType: 'input_required' as const, inputRequests: { a: QUESTION } };
    await expect(async () => rounds.askByHand(call, byHand)).rejects.toThrow('cannot ask');
  });

  it('are not more than 16: no state is made for more than 15 questions one after the other', async () => {
    const askAfter = async (round: number) => {
      const call = callOf(rounds, 'tools/call');
      call.resume({ round, journal: [], passes: 0 }, undefined);
      return rounds.ask(call, { q0: QUESTION });
    };
    expect(await askAfter(15)).toMatchObject({ requestState: expect.any(String) });
    await expect(askAfter(16)).rejects.toThrow('not done after 16 rounds');
  });

  it('use up a state once', async () => {
    const { rounds, used } = create();
    const { requestState } = (await rounds.ask(callOf(rounds, 'tools/call'), {})) as { requestState: string };
    const call = callOf(rounds, 'tools/call', { requestState });
    await rounds.resume(call);
    expect(used).toEqual([]);
    for (let time = 0; time < 2; time++) await call.redeem();
    expect(used).toEqual([requestState.slice(0, 32)]);
    const again = callOf(rounds, 'tools/call', { requestState });
    await rounds.resume(again);
    await expect(again.redeem()).rejects.toMatchObject({ code: -32602 });
    await again.once();
    await expect(call.once()).rejects.toMatchObject({ code: -32602 });
  });
});

describe('pages that an error names', () => {
  const error = pagesRequired([{ message: 'Sign in', url: 'https://example.com/' }]);

  it('are questions', async () => {
    expect(isPageRequired(error)).toBe(true);
    expect(isPageRequired(new McpError(-32042, 'other'))).toBe(false);
    expect(isPageRequired(undefined)).toBe(false);
    const { rounds } = create();
    const call = callOf(rounds, 'tools/call', {}, { elicitation: { url: {} } });
    expect(await rounds.askByHand(call, pagesAsQuestions(call, error))).toMatchObject({
      inputRequests: {
        page0: {
          method: 'elicitation/create',
          params: { mode: 'url', message: 'Sign in', url: 'https://example.com/' },
        },
      },
    });
  });

  it('keep the state of a handler that asks by hand', async () => {
    const { rounds } = create();
    const capabilities = { elicitation: { url: {} } };
    const first = (await rounds.askByHand(callOf(rounds, 'tools/call', {}, capabilities), {
      resultType: 'input_required',
      requestState: 'mine',
    })) as { requestState: string };
    const second = callOf(rounds, 'tools/call', { requestState: first.requestState }, capabilities);
    await rounds.resume(second);
    const pages = (await rounds.askByHand(second, pagesAsQuestions(second, error))) as {
      requestState: string;
    };
    const third = callOf(rounds, 'tools/call', { requestState: pages.requestState }, capabilities);
    await rounds.resume(third);
    expect([third.requestState, third.state.round]).toEqual(['mine', 3]);
  });

  it('need a client that can show them', async () => {
    const { rounds } = create();
    const call = callOf(rounds, 'tools/call', {}, { elicitation: { form: {} } });
    const ask = async () => rounds.askByHand(call, pagesAsQuestions(call, error));
    await expect(ask).rejects.toMatchObject({ code: -32021 });
  });
});
