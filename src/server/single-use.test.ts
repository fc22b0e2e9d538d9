import { afterEach, describe, expect, it, vi } from 'vitest';
import { createMemorySingleUse } from './single-use.js';

afterEach(() => vi.useRealTimers());

describe('single use, remembered in memory', () => {
  it('lets each id pass once', () => {
    const singleUse = createMemorySingleUse();
    const until = Date.now() + 1000;
    expect(['a', 'b', 'a', 'b', 'c'].map(id => singleUse.redeem(id, until))).toEqual([
      true,
      true,
      false,
      false,
      true,
    ]);
  });

  it('answers at once, so that of two at the same time one wins', () => {
    const singleUse = createMemorySingleUse();
    const outcomes = [singleUse.redeem('a', Date.now() + 1000), singleUse.redeem('a', Date.now() + 1000)];
    expect(outcomes).toEqual([true, false]);
  });

  it('belongs to one store', () => {
    const [one, two] = [createMemorySingleUse(), createMemorySingleUse()];
    expect([one.redeem('a', Date.now() + 1000), two.redeem('a', Date.now() + 1000)]).toEqual([true, true]);
  });

  it('remembers as long as it must', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 0 });
    const singleUse = createMemorySingleUse();
    singleUse.redeem('a', 1000);
    vi.setSystemTime(999);
    singleUse.redeem('b', 2000);
    expect(singleUse.redeem('a', 1000)).toBe(false);
  });

  it('forgets what has expired when something new comes', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 0 });
    const singleUse = createMemorySingleUse();
    for (let n = 0; n < 1000; n++) singleUse.redeem(`old ${n}`, 1000);
    vi.setSystemTime(1001);
    singleUse.redeem('new', 2000);
    expect(singleUse.redeem('old 0', 2000)).toBe(true);
    expect(singleUse.redeem('new', 2000)).toBe(false);
  });

  it('forgets in any order', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 0 });
    const singleUse = createMemorySingleUse(2);
    singleUse.redeem('long', 10_000);
    singleUse.redeem('short', 1000);
    vi.setSystemTime(1001);
    expect(singleUse.redeem('new', 3000)).toBe(true);
    expect(singleUse.redeem('long', 10_000)).toBe(false);
  });

  it('refuses what it has no room for, and never forgets what still counts', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 0 });
    const singleUse = createMemorySingleUse(3);
    for (const id of ['a', 'b', 'c']) singleUse.redeem(id, 5000);
    expect(() => singleUse.redeem('d', 5000)).toThrow('give the server a store for them (singleUse)');
    expect(['a', 'b', 'c'].map(id => singleUse.redeem(id, 5000))).toEqual([false, false, false]);
    vi.setSystemTime(5001);
    expect(singleUse.redeem('d', 9000)).toBe(true);
  });

  it('counts a long id as several, so that long ones take no more memory', () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 0 });
    const singleUse = createMemorySingleUse(6);
    for (const letter of 'abc') expect(singleUse.redeem(letter.repeat(100), 5000)).toBe(true);
    expect(() => singleUse.redeem('d', 5000)).toThrow('give the server a store for them (singleUse)');
    vi.setSystemTime(5001);
    for (const letter of 'abcdef') expect(singleUse.redeem(letter, 9000)).toBe(true);
  });

  it('remembers as many as a busy server has', () => {
    const singleUse = createMemorySingleUse();
    const until = Date.now() + 600_000;
    for (let n = 0; n < 200_000; n++) singleUse.redeem(`${n}`, until);
    expect(singleUse.redeem('0', until)).toBe(false);
  });
});
