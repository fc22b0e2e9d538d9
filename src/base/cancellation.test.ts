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
