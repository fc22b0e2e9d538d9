import { describe, expect, it } from 'vitest';
import { Cancellation } from './cancellation.js';
import { Cancelled } from './errors.js';

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

/** All that is delivered, from now on. */
function deliveriesOf(cancellation: Cancellation): unknown[] {
  const delivered: unknown[] = [];
  cancellation.deliverTo((outcome: unknown) => delivered.push(outcome));
  return delivered;
}

describe('the outcome of work that may be cancelled', () => {
  it('is delivered at once, and once', () => {
    const cancellation = new Cancellation();
    const delivered = deliveriesOf(cancellation);
    cancellation.finish(1);
    expect(delivered).toEqual([1]);
    cancellation.finish(2);
    cancellation.abort(reason);
    expect(delivered).toEqual([1]);
  });

  it('is nothing as soon as it is cancelled, even if the work never ends', () => {
    const cancellation = new Cancellation();
    const delivered = deliveriesOf(cancellation);
    cancellation.abort(reason);
    expect(delivered).toEqual([undefined]);
    cancellation.finish('late');
    cancellation.abort(reason);
    expect(delivered).toEqual([undefined]);
  });

  it('is nothing if it was cancelled before', () => {
    const cancellation = new Cancellation();
    cancellation.abort(reason);
    const delivered = deliveriesOf(cancellation);
    cancellation.finish('late');
    expect(delivered).toEqual([undefined]);
  });

  it('is delivered when the signal is aborted already', () => {
    const cancellation = new Cancellation();
    const { signal } = cancellation;
    const seen: boolean[] = [];
    cancellation.deliverTo(() => seen.push(cancellation.aborted, signal.aborted));
    cancellation.abort(reason);
    expect(seen).toEqual([true, true]);
  });

  it('may be for nobody', () => {
    const cancellation = new Cancellation();
    cancellation.finish(1);
    cancellation.abort(reason);
    expect(cancellation.takeOver()).toBeUndefined();
  });

  it('belongs to the one who took it over, whatever the work or the client says after that', () => {
    const cancellation = new Cancellation();
    const delivered = deliveriesOf(cancellation);
    const deliver = cancellation.takeOver();
    cancellation.finish('late');
    cancellation.abort(reason);
    expect(delivered).toEqual([]);
    deliver?.('instead');
    expect(delivered).toEqual(['instead']);
    expect(cancellation.signal.reason).toBe(reason);
  });

  it('is taken over once, and not after it was delivered', () => {
    const taken = new Cancellation();
    deliveriesOf(taken);
    expect(taken.takeOver()).toBeTypeOf('function');
    expect(taken.takeOver()).toBeUndefined();
    for (const end of [(one: Cancellation) => one.finish(1), (one: Cancellation) => one.abort(reason)]) {
      const ended = new Cancellation();
      deliveriesOf(ended);
      end(ended);
      expect(ended.takeOver()).toBeUndefined();
    }
  });
});
