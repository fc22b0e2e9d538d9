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

describe('work that may be cancelled', () => {
  it('has its own outcome if nobody cancels', async () => {
    const cancellation = new Cancellation();
    expect(await cancellation.unlessAborted(Promise.resolve(1))).toBe(1);
    const failed = new Error('failed');
    await expect(cancellation.unlessAborted(Promise.reject(failed))).rejects.toBe(failed);
  });

  it('is given up at once, even if it never ends', async () => {
    const cancellation = new Cancellation();
    const outcome = cancellation.unlessAborted(new Promise(() => {}));
    cancellation.abort(reason);
    expect(await outcome).toBeUndefined();
  });

  it('is not waited for if it was cancelled before', async () => {
    const cancellation = new Cancellation();
    cancellation.abort(reason);
    expect(await cancellation.unlessAborted(Promise.resolve(1))).toBeUndefined();
  });

  it('may fail afterwards without anybody being told', async () => {
    const cancellation = new Cancellation();
    const late = new Promise((_, reject) => setTimeout(() => reject(new Error('too late')), 5));
    const outcome = cancellation.unlessAborted(late);
    cancellation.abort(reason);
    expect(await outcome).toBeUndefined();
    // An unhandled rejection would fail the run.
    await new Promise(resolve => setTimeout(resolve, 15));
  });

  it('may fail without anybody being told also if it was cancelled before', async () => {
    const cancellation = new Cancellation();
    cancellation.abort(reason);
    expect(await cancellation.unlessAborted(Promise.reject(new Error('unheard')))).toBeUndefined();
    await new Promise(resolve => setTimeout(resolve, 5));
  });
});
