import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Ledger } from '../ledger.js';
import type { StreamWriter } from './exchange.js';
import { type EventLog, Replay } from './replay.js';

const MINUTE = 60_000;
const MiB = 1024 * 1024;

let ledger: Ledger;
beforeEach(() => {
  ledger = new Ledger(1024 * MiB);
});

/** A connection that remembers what was written to it. */
function connection() {
  const written: string[] = [];
  let isOpen = true;
  const sink: StreamWriter = {
    get isOpen() {
      return isOpen;
    },
    isFull: false,
    onDrain: undefined,
    abort: () => sink.end(),
    write: text => written.push(text),
    end: () => {
      isOpen = false;
    },
  };
  const numbers = () => [...written.join('').matchAll(/data: (\d+)/g)].map(([, number]) => Number(number));
  return { sink, numbers, lose: () => sink.end() };
}

afterEach(() => {
  vi.useRealTimers();
});

describe('what is kept for clients that come back', () => {
  test('is bounded for all streams together: the oldest go first, and say so when asked for', () => {
    const replay = new Replay(ledger);
    const text = 'x'.repeat(MiB - 128);
    const logs = Array.from({ length: 70 }, () => replay.open('owner', 'answer-', ledger.open()));
    for (const log of logs) log.append(text);
    const found = logs.map(log => replay.find('owner', `${log.id}.0`) !== undefined);
    expect(found).toEqual([...Array(6).fill(false), ...Array(64).fill(true)]);
  });

  test('is bounded also when those that were dropped go on', () => {
    const replay = new Replay(ledger);
    const text = 'x'.repeat(MiB - 128);
    const logs = Array.from({ length: 70 }, () => replay.open('owner', 'answer-', ledger.open()));
    for (let round = 0; round < 3; round++) {
      for (const log of logs) log.append(text);
    }
    // A log grows before it drops its own oldest event, which may push another one out.
    const found = logs.filter(log => replay.find('owner', `${log.id}.0`));
    expect(found.length).toBeGreaterThanOrEqual(62);
    expect(found.length).toBeLessThanOrEqual(64);
  });

  test('does not stop those who are connected from hearing more when it is dropped', () => {
    const replay = new Replay(ledger);
    const [log, ...others] = Array.from({ length: 70 }, () =>
      replay.open('owner', 'answer-', ledger.open()),
    ) as [EventLog];
    const { sink, numbers } = connection();
    log.attach(sink, { after: 0, prime: false });
    log.append('1');
    for (const other of others) (other as EventLog).append('x'.repeat(MiB - 128));
    expect(replay.find('owner', `${log.id}.0`)).toBeUndefined();
    log.append('2');
    expect(numbers()).toEqual([1, 2]);
  });

  test('is dropped after five minutes, also behind a stream that is read for hours', () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const replay = new Replay(ledger);
    const { sink } = connection();
    const notices = replay.open('owner', 'answer-', ledger.open());
    notices.attach(sink, { after: 0, prime: false });
    const brief = Array.from({ length: 10 }, () => replay.open('owner', 'answer-', ledger.open()));
    vi.setSystemTime(Date.now() + 10 * MINUTE);
    for (let n = 0; n < 10; n++) replay.open('owner', 'answer-', ledger.open());
    vi.setSystemTime(Date.now() - 10 * MINUTE);
    // Back in time none of them is too old, so what cannot be found was really let go of.
    expect(brief.filter(log => replay.find('owner', `${log.id}.0`))).toEqual([]);
    expect(replay.find('owner', `${notices.id}.0`)).toBeDefined();
  });

  test('is bounded in number, even if nothing was ever said', () => {
    const replay = new Replay(ledger);
    const logs = Array.from({ length: 10_100 }, () => replay.open('owner', 'answer-', ledger.open()));
    expect(logs.filter(log => replay.find('owner', `${log.id}.0`)).length).toBeLessThanOrEqual(10_001);
    expect(replay.find('owner', `${logs.at(-1)?.id}.0`)).toBeDefined();
  });

  test('goes to a new connection even if the loss of the old one is noticed late', () => {
    const log = new Replay(ledger).open('owner', 'answer-', ledger.open());
    const [old, young] = [connection(), connection()];
    log.attach(old.sink, { after: 0, prime: false });
    log.append('1');
    log.attach(young.sink, { after: 1, prime: false });
    log.detach(old.sink);
    log.append('2');
    expect(log.isAttached).toBe(true);
    expect([old.numbers(), young.numbers()]).toEqual([[1], [2]]);
  });
});
