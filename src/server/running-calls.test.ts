import { describe, expect, it } from 'vitest';
import { Cancelled } from '../base/errors.js';
import type { AnswerText } from './answer.js';
import { Ledger } from './ledger.js';
import { type ClientCalls, type RunningCall, RunningCalls } from './running-calls.js';

const account = new Ledger().open();
const REASON = new Cancelled('the client cancelled the request');
const DONE: AnswerText = { text: 'done' };
const LATE: AnswerText = { text: 'late' };

/** A call, and all that is delivered for it. */
function start(calls: ClientCalls = new RunningCalls().createList(), id: string | number = 1) {
  const delivered: (AnswerText | undefined)[] = [];
  return {
    call: calls.start({ id, method: 'tools/call', weight: 0 }, account, answer => delivered.push(answer)),
    delivered,
  };
}

describe('the answer to a call', () => {
  it('is delivered at once, and once', () => {
    const { call, delivered } = start();
    expect(call.isOver).toBe(false);
    call.finish(DONE);
    expect(delivered).toEqual([DONE]);
    expect(call.isOver).toBe(true);
    call.finish(LATE);
    call.abort(REASON);
    expect(delivered).toEqual([DONE]);
  });

  it('is nothing as soon as the call is aborted, even if the work never ends', () => {
    const { call, delivered } = start();
    call.abort(REASON);
    expect(delivered).toEqual([undefined]);
    call.finish(LATE);
    call.abort(REASON);
    expect(delivered).toEqual([undefined]);
  });

  it('is delivered when the signal is aborted already', () => {
    const seen: boolean[] = [];
    const calls = new RunningCalls().createList();
    const call: RunningCall = calls.start({ id: 1, method: 'tools/call', weight: 0 }, account, () =>
      seen.push(call.cancellation.aborted),
    );
    call.abort(REASON);
    expect(seen).toEqual([true]);
  });

  it('belongs to the one who took it over, whatever the work or the client says after that', () => {
    const running = new RunningCalls();
    const { call, delivered } = start(running.createList());
    const deliver = call.takeOver();
    call.finish(LATE);
    call.abort(REASON);
    expect(delivered).toEqual([]);
    expect(running.count).toBe(1);
    deliver?.(DONE);
    expect(delivered).toEqual([DONE]);
    expect(running.count).toBe(0);
    expect(call.cancellation.signal.reason).toBe(REASON);
  });

  it('is taken over once, and not after it was delivered', () => {
    const taken = start().call;
    expect(taken.takeOver()).toBeTypeOf('function');
    expect(taken.takeOver()).toBeUndefined();
    for (const end of [(one: RunningCall) => one.finish(DONE), (one: RunningCall) => one.abort(REASON)]) {
      const ended = start().call;
      end(ended);
      expect(ended.takeOver()).toBeUndefined();
    }
  });
});

describe('running calls', () => {
  it('are counted per client and per door', () => {
    const running = new RunningCalls();
    const [ada, eve] = [running.createList(), running.createList()];
    const first = start(ada).call;
    start(ada, 2);
    start(eve);
    expect([ada.count, eve.count, running.count]).toEqual([2, 1, 3]);
    first.finish(DONE);
    expect([ada.count, eve.count, running.count]).toEqual([1, 1, 2]);
  });

  it('are cancelled by their id for one client only', () => {
    const running = new RunningCalls();
    const [ada, eve] = [running.createList(), running.createList()];
    const [hers, others, foreign] = [start(ada, 'x'), start(ada, 'y'), start(eve, 'x')];
    ada.cancel({ requestId: 'x', reason: 'enough' });
    expect(hers.delivered).toEqual([undefined]);
    expect(hers.call.cancellation.signal.reason).toMatchObject({ message: 'enough' });
    expect([others.delivered, foreign.delivered]).toEqual([[], []]);
  });

  it('are waited for when a door closes', async () => {
    const running = new RunningCalls();
    const { call, delivered } = start(running.createList());
    const drained = running.drain(60_000, REASON);
    call.finish(DONE);
    await drained;
    expect(delivered).toEqual([DONE]);
    expect(call.cancellation.aborted).toBe(false);
  });

  it('are aborted with some last words when that takes too long', async () => {
    const running = new RunningCalls();
    const [first, second] = [start(running.createList(), 1), start(running.createList(), 2)];
    await running.drain(0, REASON, id => ({ text: `closed ${id}` }));
    expect(first.delivered).toEqual([{ text: 'closed 1' }]);
    expect(second.delivered).toEqual([{ text: 'closed 2' }]);
    expect(running.count).toBe(0);
  });
});
