import { describe, expect, it } from 'vitest';
import { onAbort } from './abort.js';

describe('waiting for a signal', () => {
  it('ends when it aborts, for all who wait, once', () => {
    const controller = new AbortController();
    const heard: number[] = [];
    for (let at = 0; at < 3; at++) onAbort(controller.signal, () => heard.push(at));
    controller.abort();
    controller.abort();
    expect(heard).toEqual([0, 1, 2]);
  });

  it('ends at once if it has aborted', () => {
    let isCalled = false;
    onAbort(AbortSignal.abort(), () => {
      isCalled = true;
    });
    expect(isCalled).toBe(true);
  });

  it('can be given up by one without the others', () => {
    const controller = new AbortController();
    const heard: string[] = [];
    const callback = () => heard.push('called');
    const stop = onAbort(controller.signal, callback);
    onAbort(controller.signal, callback);
    stop();
    stop();
    controller.abort();
    expect(heard).toEqual(['called']);
  });

  it('adds one listener to the signal, however many wait', () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const add = signal.addEventListener.bind(signal);
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners++;
      add(...args);
    };
    for (let at = 0; at < 100; at++) onAbort(signal, () => {});
    expect(listeners).toBe(1);
  });
});
