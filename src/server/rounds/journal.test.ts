import { describe, expect, it } from 'vitest';
import type { InputRequest, InputResponse } from '../../protocol/input.js';
import { Journal, type JournalEntry } from './journal.js';

const form = (message: string, requestedSchema: object = { type: 'object' }): InputRequest => ({
  method: 'elicitation/create',
  params: { message, requestedSchema: { ...requestedSchema } },
});
const YES: InputResponse = { action: 'accept', content: { ok: true } };
const NO: InputResponse = { action: 'decline' };

/** The journal that the next round begins with. */
function next(journal: Journal): Journal {
  return new Journal(JSON.parse(JSON.stringify(journal.entries)) as JournalEntry[]);
}

describe('a journal', () => {
  it('keeps questions and steps in the order in which they came', () => {
    const journal = new Journal();
    const first = journal.question(form('a'));
    const step = journal.step('s');
    const second = journal.question(form('b'));
    expect(journal.entries).toEqual([first, step, second]);
    expect([first, second].map(entry => journal.keyOf(entry))).toEqual(['q0', 'q2']);
  });

  it('does not change what it was made of', () => {
    const entries: JournalEntry[] = [{ s: 'a', d: 1 }];
    new Journal(entries).step('b');
    expect(entries).toEqual([{ s: 'a', d: 1 }]);
  });

  it('finds the entry of an earlier round by what is asked, whatever the order of its keys', () => {
    const before = new Journal();
    before.question(form('a', { type: 'object', properties: { x: {}, y: {} } }));
    before.answer(new Map([['q0', YES]]));
    const now = next(before);
    expect(now.question(form('a', { properties: { y: {}, x: {} }, type: 'object' })).a).toEqual(YES);
    expect(now.entries).toHaveLength(1);
  });

  it('takes each earlier entry once: what is asked again is another question', () => {
    const before = new Journal();
    before.question(form('a'));
    before.answer(new Map([['q0', YES]]));
    const now = next(before);
    expect(now.question(form('a')).a).toEqual(YES);
    expect(now.question(form('a')).a).toBeUndefined();
    expect(now.entries).toHaveLength(2);
  });

  it('tells equal questions and equal steps apart by their order', () => {
    const before = new Journal();
    for (let n = 0; n < 2; n++) before.question(form('a'));
    Object.assign(before.step('s'), { d: 1, r: 'one' });
    Object.assign(before.step('s'), { d: 1, r: 'two' });
    before.answer(
      new Map([
        ['q0', YES],
        ['q1', NO],
      ]),
    );
    const now = next(before);
    expect([now.question(form('a')).a, now.question(form('a')).a]).toEqual([YES, NO]);
    expect([now.step('s').r, now.step('s').r]).toEqual(['one', 'two']);
  });

  it('takes answers only to what was asked and has none', () => {
    const journal = new Journal();
    journal.step('s');
    journal.question(form('a'));
    journal.question(form('b'));
    journal.answer(
      new Map([
        ['q0', YES],
        ['q1', YES],
        ['q7', YES],
        ['__proto__', YES],
      ]),
    );
    journal.answer(new Map([['q1', NO]]));
    expect(journal.entries.map(entry => 'a' in entry && entry.a)).toEqual([false, YES, false]);
    expect(journal.entries[0]).toEqual({ s: 's' });
  });
});

describe('a journal sees that a handler does something else', () => {
  const earlier = new Journal([
    { q: 'unknown', l: 'Red?' },
    { s: 'hold', d: 1 },
  ]).entries;

  it('not while it has done nothing new', () => {
    const journal = new Journal(earlier);
    expect(journal.divergence()).toBeUndefined();
    journal.step('hold');
    expect(journal.divergence()).toBeUndefined();
  });

  it('when it asks something new, and has not asked what it asked before', () => {
    const journal = new Journal(earlier);
    journal.question(form('Blue?'));
    expect(journal.divergence()).toMatchObject({
      code: -32603,
      message: expect.stringMatching(
        /^the handler asked "Red\?" in an earlier round, but now asks "Blue\?" instead: /,
      ),
    });
  });

  it('no longer when it has come to what it asked before', () => {
    const before = new Journal();
    before.question(form('Red?'));
    const journal = next(before);
    journal.question(form('Blue?'));
    expect(journal.divergence()).toBeDefined();
    journal.question(form('Red?'));
    expect(journal.divergence()).toBeUndefined();
  });

  it('when it runs a new step, which is premature until the earlier ones have come up', () => {
    const journal = new Journal(earlier);
    const entry = journal.step('keep');
    expect(journal.isPremature(entry)).toBe(true);
    expect(journal.divergence()?.message).toContain('ran the step "hold"');
    expect(journal.divergence()?.message).toContain('runs the step "keep"');
    journal.step('hold');
    expect(journal.isPremature(entry)).toBe(false);
    expect(journal.divergence()).toBeUndefined();
  });

  it('not when an earlier step that has failed stays away', () => {
    const journal = new Journal([{ s: 'failed' }]);
    expect(journal.isPremature(journal.step('other'))).toBe(false);
    expect(journal.divergence()).toBeUndefined();
  });

  it('and names long questions by their beginning', () => {
    const before = new Journal();
    const entry = before.question(form('x'.repeat(100)));
    expect(entry.l).toBe(`${'x'.repeat(39)}…`);
    expect(before.question({ method: 'roots/list' }).l).toBe('roots/list');
    const content = { type: 'text' as const, text: 'Which wine?' };
    const params = { messages: [{ role: 'user' as const, content: [content] }], maxTokens: 1 };
    expect(before.question({ method: 'sampling/createMessage', params }).l).toBe('Which wine?');
    const image = { type: 'image' as const, data: '', mimeType: 'image/png' };
    const picture = { messages: [{ role: 'user' as const, content: image }], maxTokens: 1 };
    expect(before.question({ method: 'sampling/createMessage', params: picture }).l).toBe(
      'sampling/createMessage',
    );
  });
});
