import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { InputRequest, InputResponse } from '../../protocol/input.js';
import { RoundEnded } from '../../protocol/round.js';
import type { JournalEntry } from './journal.js';
import { Round } from './round.js';

// Whole programs, over many rounds, are in test/rounds/programs.test.ts.

const form = (message: string): InputRequest => ({
  method: 'elicitation/create',
  params: { message, requestedSchema: { type: 'object' } },
});
const accept = (text: string): InputResponse => ({ action: 'accept', content: { text } });

afterEach(() => vi.useRealTimers());

/** A round, and how it ends. */
function begin(journal: readonly JournalEntry[] = [], responses: Record<string, InputResponse> = {}) {
  const ends: { journal: readonly JournalEntry[]; questions: object; problem?: Error }[] = [];
  const round = new Round({ journal, passes: 0 }, (questions, problem) =>
    ends.push({ journal: round.progress.journal, questions, ...(problem && { problem }) }),
  );
  round.answer(new Map(Object.entries(responses)));
  return { round, ends };
}

const outcomeOf = (promise: Promise<unknown>) => promise.catch((thrown: unknown) => thrown);

describe('a round', () => {
  it('ends in the turn after a question without an answer, with all that were asked', async () => {
    const { round, ends } = begin();
    const asked = [round.ask(form('a')), Promise.resolve().then(() => round.ask(form('b')))].map(outcomeOf);
    expect(ends).toEqual([]);
    expect(round.isEnding).toBe(true);
    for (const outcome of await Promise.all(asked)) expect(outcome).toBeInstanceOf(RoundEnded);
    expect(ends).toEqual([{ journal: round.progress.journal, questions: { q0: form('a'), q1: form('b') } }]);
  });

  it('goes on while there are answers', async () => {
    const first = begin();
    await outcomeOf(first.round.ask(form('a')));
    const { round, ends } = begin(first.ends[0]!.journal, { q0: accept('A') });
    expect(await round.ask(form('a'))).toEqual(accept('A'));
    await nextTurn();
    expect(round.isEnding).toBe(false);
    expect(ends).toEqual([]);
  });

  it('gives answers out as the next rounds will have them', async () => {
    const first = begin();
    await outcomeOf(first.round.ask(form('a')));
    const answer = JSON.parse('{"action":"accept","content":{"n":1e999}}') as InputResponse;
    const { round } = begin(first.ends[0]!.journal, { q0: answer });
    const given = await round.ask(form('a'));
    expect(given).toEqual({ action: 'accept', content: { n: null } });
    const later = begin(JSON.parse(JSON.stringify(round.progress.journal)));
    expect(await later.round.ask(form('a'))).toEqual(given);
  });

  it('lets nothing be asked or begun after its end', async () => {
    const { round, ends } = begin();
    await outcomeOf(round.ask(form('a')));
    const run = vi.fn();
    for (const late of [round.ask(form('b')), round.ask(form('a')), round.step('s', run)]) {
      expect(await outcomeOf(late)).toBeInstanceOf(RoundEnded);
    }
    expect(run).not.toHaveBeenCalled();
    expect(ends).toHaveLength(1);
    expect(ends[0]?.journal).toHaveLength(1);
  });

  it('has ended for everybody before anybody hears of it', async () => {
    const { round } = begin();
    const late: unknown[] = [];
    const inside = new Round({ journal: [], passes: 0 }, () => {
      late.push(outcomeOf(inside.ask(form('b'))), outcomeOf(inside.step('s', () => 1)));
    });
    await outcomeOf(inside.ask(form('a')));
    for (const outcome of await Promise.all(late)) expect(outcome).toBeInstanceOf(RoundEnded);
    expect(inside.progress.journal).toHaveLength(1);
    expect(round.progress.journal).toEqual([]);
  });

  it('keeps what steps returned, as it was when they returned it', async () => {
    const { round } = begin();
    const result = { list: [1] };
    const given = await round.step('s', () => result);
    given.list.push(2);
    result.list.push(3);
    expect(await round.step('nothing', () => undefined)).toBeUndefined();
    expect(round.progress.journal).toEqual([
      { s: 's', d: 1, r: { list: [1] } },
      { s: 'nothing', d: 1 },
    ]);
  });

  it('gives the results of steps out again without running them', async () => {
    const { round } = begin([
      { s: 's', d: 1, r: { list: [1] } },
      { s: 'nothing', d: 1 },
    ]);
    const run = vi.fn();
    const [one] = [(await round.step('s', run)) as { list: number[] }];
    one.list.push(2);
    expect(round.progress.journal[0]).toEqual({ s: 's', d: 1, r: { list: [1] } });
    expect(await round.step('nothing', run)).toBeUndefined();
    expect(run).not.toHaveBeenCalled();
  });

  it('does not keep a step that throws, but its place', async () => {
    const { round } = begin();
    const failed = new Error('failed');
    expect(await outcomeOf(round.step('s', () => Promise.reject(failed)))).toBe(failed);
    expect(
      await outcomeOf(
        round.step('s', () => {
          throw failed;
        }),
      ),
    ).toBe(failed);
    expect(round.progress.journal).toEqual([{ s: 's' }, { s: 's' }]);
  });

  it('waits for running steps, and for what is asked after them', async () => {
    const { round, ends } = begin();
    let finish = (_result: string) => {};
    const running = round.step(
      's',
      () =>
        new Promise<string>(resolve => {
          finish = resolve;
        }),
    );
    const asked = outcomeOf(round.ask(form('a')));
    const later = outcomeOf(running.then(result => round.ask(form(result))));
    for (let turn = 0; turn < 3; turn++) await nextTurn();
    expect(ends).toEqual([]);
    finish('b');
    expect([await asked, await later]).toEqual([expect.any(RoundEnded), expect.any(RoundEnded)]);
    expect(ends[0]).toMatchObject({
      journal: [{ s: 's', d: 1, r: 'b' }, { l: 'a' }, { l: 'b' }],
      questions: { q1: form('a'), q2: form('b') },
    });
  });
});

describe('a round that cannot go on', () => {
  const asked: JournalEntry[] = [{ q: 'unknown', l: 'Red?', a: accept('A') }];

  it('ends with the problem when nothing comes of what was asked before', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { round, ends } = begin(asked);
    const outcome = outcomeOf(round.ask(form('Blue?')));
    for (let turn = 0; turn < 2; turn++) await nextTurn();
    expect(ends).toEqual([]);
    vi.advanceTimersByTime(3000);
    expect(ends).toMatchObject([{ problem: { message: expect.stringContaining('now asks "Blue?"') } }]);
    expect(await outcome).toBe(ends[0]?.problem);
  });

  it('is patient with a branch that is on its way', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const first = begin();
    await Promise.all([outcomeOf(first.round.ask(form('a'))), outcomeOf(first.round.ask(form('b')))]);
    const { round, ends } = begin(first.ends[0]!.journal, { q0: accept('A'), q1: accept('B') });
    await round.ask(form('a'));
    const fresh = outcomeOf(round.ask(form('a2')));
    for (let turn = 0; turn < 3; turn++) await nextTurn();
    expect(ends).toEqual([]);
    expect(await round.ask(form('b'))).toEqual(accept('B'));
    vi.advanceTimersByTime(3000);
    expect(await fresh).toBeInstanceOf(RoundEnded);
    expect(ends).toMatchObject([{ questions: { q2: form('a2') } }]);
  });

  it('does not run a new step before earlier ones have come up', async () => {
    const order: string[] = [];
    const { round } = begin([{ s: 'old', d: 1, r: 'kept' }]);
    const fresh = round.step('new', () => order.push('new'));
    await nextTurn();
    expect(order).toEqual([]);
    expect(await round.step('old', () => order.push('old'))).toBe('kept');
    await fresh;
    expect(order).toEqual(['new']);
  });

  it('does not run it at all if they do not come up', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const run = vi.fn();
    const { round, ends } = begin([{ s: 'old', d: 1 }]);
    const outcome = outcomeOf(round.step('new', run));
    for (let turn = 0; turn < 2; turn++) await nextTurn();
    vi.advanceTimersByTime(3000);
    expect(await outcome).toBe(ends[0]?.problem);
    expect(ends[0]?.problem?.message).toContain('ran the step "old"');
    expect(run).not.toHaveBeenCalled();
  });

  it('is waited for while another step runs that stands before what was done', async () => {
    const { round, ends } = begin([{ s: 'failed' }, { s: 'old', d: 1, r: 'kept' }]);
    const order: string[] = [];
    const first = round.step('failed', async () => {
      await nextTurn();
      order.push('failed');
    });
    const fresh = round.step('new', () => order.push('new'));
    const old = first.then(() => round.step('old', () => 'never'));
    expect(await old).toBe('kept');
    await fresh;
    expect(order).toEqual(['failed', 'new']);
    expect(ends).toEqual([]);
  });

  it('because a step waits for one that comes after the step it is in ends at last', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { round, ends } = begin([{ s: 'outer' }, { s: 'old', d: 1 }]);
    const outcome = outcomeOf(round.step('outer', () => round.step('inner', () => 1)));
    for (let turn = 0; turn < 2; turn++) await nextTurn();
    vi.advanceTimersByTime(60_000);
    expect(ends[0]?.problem?.message).toContain('ran the step "old" in an earlier round');
    expect(await outcome).toBe(ends[0]?.problem);
  });

  it('because a step waits for an answer says which', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { round, ends } = begin();
    const outcome = outcomeOf(round.step('pay', () => round.ask(form('Sure?'))));
    await nextTurn();
    vi.advanceTimersByTime(5000);
    expect(await outcome).toBeInstanceOf(RoundEnded);
    await nextTurn();
    expect(ends[0]?.problem?.message).toBe('the step "pay" waits for an answer: ask before it or after it');
  });
});
