import { describe, expect, it } from 'vitest';
import { Cancellation, Cancelled } from './cancellation.js';

const reason = new Cancelled('the client cancelled the request');

describe('a cancellation', () => {
  it('aborts the signal with its reason, whether the signal was asked for before or after', () => {
    const before = new Cancellation();
    const { signal } = before;
    before.abort(reason);
    const after = new Cancellation();
    after.abort(reason);
    for (const aborted of [signal, before.signal, after.signal]) {
      expect(aborted.aborted).toBe(true);
      expect(aborted.reason).toBe(reason);
    }
  });

  it('gives out one signal', () => {
    const cancellation = new Cancellation();
    expect(cancellation.signal).toBe(cancellation.signal);
    expect(cancellation.aborted).toBe(false);
  });

  it('keeps the first reason', () => {
    const cancellation = new Cancellation();
    cancellation.abort(reason);
    cancellation.abort(new Error('later'));
    expect(cancellation.signal.reason).toBe(reason);
  });
});

/** What is delivered of some work. */
function outcomeOf<T>(cancellation: Cancellation, work: T | Promise<T>): Promise<T | undefined> {
  return new Promise(resolve => cancellation.deliver(work, resolve));
}

describe('work that may be cancelled', () => {
  it('has its own outcome if nobody cancels, at once if it is there already', async () => {
    expect(await outcomeOf(new Cancellation(), Promise.resolve(1))).toBe(1);
    const delivered: unknown[] = [];
    new Cancellation().deliver(2, outcome => delivered.push(outcome));
    expect(delivered).toEqual([2]);
  });

  it('is given up at once, even if it never ends', async () => {
    const cancellation = new Cancellation();
    const outcome = outcomeOf(cancellation, new Promise(() => {}));
    cancellation.abort(reason);
    expect(await outcome).toBeUndefined();
  });

  it('is not waited for if it was cancelled before', async () => {
    const cancellation = new Cancellation();
    cancellation.abort(reason);
    expect(await outcomeOf(cancellation, Promise.resolve(1))).toBeUndefined();
  });

  it('can be concluded with another outcome, which aborts it and is delivered alone', async () => {
    const cancellation = new Cancellation();
    const delivered: unknown[] = [];
    const late = Promise.resolve('late');
    cancellation.deliver(late, outcome => delivered.push(outcome));
    cancellation.conclude('instead', reason);
    await late;
    expect(delivered).toEqual(['instead']);
    expect(cancellation.signal.reason).toBe(reason);
  });
});
