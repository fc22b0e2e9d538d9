import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, GroupFull, type LogEntry, type LogOptions } from '../../src/server/cluster/index.js';
import { recordTopic } from './recording.js';

/** An implementation of `Cluster`, and how nodes with one store are opened. */
export interface Implementation {
  start(): Promise<void>;
  /** Another node of the same store. */
  open(): Cluster;
  stop(): Promise<void>;
}

const KEPT: LogOptions = { expiresAt: Date.now() + 3_600_000, maxEntries: 1_000, maxBytes: 1_000_000 };

/** What every implementation of `Cluster` keeps. */
export function describeContract(name: string, implementation: Implementation): void {
  describe(`${name}`, () => {
    let one: Cluster;
    let other: Cluster;
    beforeAll(async () => {
      await implementation.start();
      one = implementation.open();
      other = implementation.open();
    });
    afterAll(async () => {
      await one?.close();
      await other?.close();
      await implementation.stop();
    });
    const nodes = () => ({ one, other });
    describe('messages', () => describeMessages(nodes));
    describe('values', () => describeValues(nodes));
    describe('groups', () => describeGroups(nodes));
    describe('logs', () => describeLogs(nodes));
    describe('names', () => describeNames(nodes));
  });
}

type Nodes = () => { one: Cluster; other: Cluster };

function describeMessages(nodes: Nodes): void {
  it('brings a message to every node that listens, the one that published it included', async () => {
    const { one, other } = nodes();
    const topic = unique('topic');
    const heard = await Promise.all([recordTopic(one, topic), recordTopic(other, topic)]);
    await one.publish(topic, 'soup');
    await other.publish(topic, 'bread');
    for (const { messages } of heard)
      await expect.poll(() => new Set(messages)).toEqual(new Set(['soup', 'bread']));
  });

  it('brings the messages of one node in their order, also if it did not wait for the one before', async () => {
    const { one, other } = nodes();
    const topic = unique('topic');
    const { messages } = await recordTopic(other, topic);
    const sent = Array.from({ length: 300 }, (_, index) => `${index}`);
    await Promise.all(sent.map(text => one.publish(topic, text)));
    await expect.poll(() => messages.length).toBeGreaterThanOrEqual(300);
    expect(messages.filter((text, index) => messages.indexOf(text) === index)).toEqual(sent);
  });

  it('loses none of the messages that many nodes publish at once', async () => {
    const { one, other } = nodes();
    const topic = unique('topic');
    const { messages } = await recordTopic(one, topic);
    const sent = Array.from({ length: 200 }, (_, index) => `${index}`);
    await Promise.all(sent.map((text, index) => (index % 2 ? one : other).publish(topic, text)));
    await expect.poll(() => new Set(messages).size).toBe(200);
  });

  it('keeps topics apart, however many there are and however they are called', async () => {
    const { one, other } = nodes();
    const names = [...Array.from({ length: 300 }, () => unique('topic')), ...ODD_NAMES.map(unique)];
    const heard = await Promise.all(names.map(name => recordTopic(one, name)));
    await Promise.all(names.map(name => other.publish(name, `to ${name}`)));
    await expect
      .poll(() => heard.map(({ messages }) => [...new Set(messages)]))
      .toEqual(names.map(name => [`to ${name}`]));
  });

  it('carries messages of any size and any characters', async () => {
    const { one, other } = nodes();
    const topic = unique('topic');
    const { messages } = await recordTopic(other, topic);
    const sent = ['', 'x'.repeat(7_999), 'é'.repeat(8_000), '🍜"\\\n'.repeat(50_000), 'x'.repeat(2_000_000)];
    for (const text of sent) await one.publish(topic, text);
    await expect.poll(() => messages.length, { timeout: 120_000 }).toBeGreaterThanOrEqual(sent.length);
    expect([...new Set(messages)].map(text => text.length)).toEqual(sent.map(text => text.length));
    expect([...new Set(messages)]).toEqual(sent);
  });

  it('goes on for the other listeners of a topic when one subscription is closed', async () => {
    const { one, other } = nodes();
    const topic = unique('topic');
    const [stays, leaves] = await Promise.all([recordTopic(one, topic), recordTopic(one, topic)]);
    await leaves.close();
    await other.publish(topic, 'soup');
    await expect.poll(() => stays.messages).toContain('soup');
    expect(leaves.messages).toEqual([]);
    await stays.close();
    const again = await recordTopic(one, topic);
    await other.publish(topic, 'bread');
    await expect.poll(() => again.messages).toContain('bread');
    expect(stays.messages).not.toContain('bread');
  });

  it('survives a topic that is left and joined many times at once', async () => {
    const { one, other } = nodes();
    const topic = unique('topic');
    const joins = Array.from({ length: 50 }, async () => (await recordTopic(one, topic)).close());
    const stays = recordTopic(one, topic);
    await Promise.all(joins);
    const { messages } = await stays;
    await other.publish(topic, 'soup');
    await expect.poll(() => messages).toContain('soup');
  });
}

function describeValues(nodes: Nodes): void {
  it('reads on every node what one has written, and nothing where nothing is', async () => {
    const { one, other } = nodes();
    const key = unique('key');
    expect(await other.read(key)).toBeUndefined();
    const version = await one.write(key, '{"soup":1}', { was: undefined, expiresAt: soon() });
    expect(version).toEqual(expect.any(String));
    expect(await other.read(key)).toEqual({ value: '{"soup":1}', version });
    await other.remove(key);
    expect(await one.read(key)).toBeUndefined();
    await one.remove(key);
  });

  it('writes only over the version that was read', async () => {
    const { one, other } = nodes();
    const key = unique('key');
    const first = await one.write(key, 'first', { was: undefined, expiresAt: soon() });
    expect(await other.write(key, 'x', { was: undefined, expiresAt: soon() })).toBeUndefined();
    expect(await other.write(key, 'x', { was: 'another version', expiresAt: soon() })).toBeUndefined();
    const second = await other.write(key, 'second', { was: first, expiresAt: soon() });
    expect(second).not.toBe(first);
    expect(await one.write(key, 'x', { was: first, expiresAt: soon() })).toBeUndefined();
    expect(await one.read(key)).toEqual({ value: 'second', version: second });
    await one.remove(key);
    expect(await one.write(key, 'x', { was: second, expiresAt: soon() })).toBeUndefined();
    // The same text has another version: a version never comes back.
    expect(await one.write(key, 'first', { was: undefined, expiresAt: soon() })).not.toBe(first);
  });

  it('publishes a message with a value, and none where the value is not written', async () => {
    const { one, other } = nodes();
    const [key, topic] = [unique('key'), unique('topic')];
    const expiresAt = soon();
    const heard = await recordTopic(other, topic);
    const write = (was: string | undefined, message: string) =>
      one.write(key, message, { was, expiresAt, publish: { topic, message } });
    const first = await write(undefined, 'first');
    expect(await write('another version', 'refused')).toBeUndefined();
    const second = await write(first, 'second');
    await one.write(key, 'third', { was: second, expiresAt: soon() });
    await one.publish(topic, 'last');
    await expect.poll(() => heard.messages).toEqual(['first', 'second', 'last']);
    await heard.close();
  });

  it('lets exactly one of many writers at once win', async () => {
    const { one, other } = nodes();
    const key = unique('key');
    const write = (was: string | undefined, index: number) =>
      (index % 2 ? one : other).write(key, `${index}`, { was, expiresAt: soon() });
    for (let round = 0, was: string | undefined; round < 5; round++) {
      const outcomes = await Promise.all(Array.from({ length: 20 }, (_, index) => write(was, index)));
      const winners = outcomes.filter(version => version !== undefined);
      expect(winners).toHaveLength(1);
      expect(await one.read(key)).toEqual({ value: `${outcomes.indexOf(winners[0])}`, version: winners[0] });
      was = winners[0];
    }
  });

  it('loses no increment of counters that several nodes raise in any order', async () => {
    const { one, other } = nodes();
    const raises = fc.array(fc.tuple(fc.nat(2), fc.boolean()), { maxLength: 25 });
    await fc.assert(
      fc.asyncProperty(raises, async steps => {
        const keys = [unique('counter'), unique('counter'), unique('counter')];
        await Promise.all(steps.map(([which, here]) => raise(here ? one : other, keys[which] as string)));
        for (const [which, key] of keys.entries()) {
          const expected = steps.filter(([raised]) => raised === which).length;
          expect(Number((await one.read(key))?.value ?? 0)).toBe(expected);
        }
      }),
      { numRuns: 10 },
    );
  });

  it('forgets a value when it expires, and lets it be written anew', async () => {
    const { one, other } = nodes();
    const key = unique('key');
    const version = await one.write(key, 'soup', { was: undefined, expiresAt: Date.now() + 300 });
    await expect.poll(() => other.read(key)).toBeUndefined();
    expect(await other.write(key, 'cold', { was: version, expiresAt: soon() })).toBeUndefined();
    expect(await other.write(key, 'bread', { was: undefined, expiresAt: soon() })).toEqual(
      expect.any(String),
    );
    expect((await one.read(key))?.value).toBe('bread');
  });

  it('takes the expiry of the last write, also one that is past or never', async () => {
    const { one, other } = nodes();
    const key = unique('key');
    const first = await one.write(key, 'a', { was: undefined, expiresAt: Number.POSITIVE_INFINITY });
    const second = await one.write(key, 'b', { was: first, expiresAt: soon() });
    expect((await other.read(key))?.value).toBe('b');
    expect(await one.write(key, 'c', { was: second, expiresAt: Date.now() - 1_000 })).toEqual(
      expect.any(String),
    );
    expect(await other.read(key)).toBeUndefined();
  });

  it('keeps large values and all characters', async () => {
    const { one, other } = nodes();
    for (const value of ['', '🍜 "\\\' é\n\u{10FFFF}', 'x'.repeat(5_000_000), 'é🍜'.repeat(200_000)]) {
      const key = unique('key');
      await one.write(key, value, { was: undefined, expiresAt: soon() });
      expect((await other.read(key))?.value === value).toBe(true);
      await one.remove(key);
    }
  });
}

function describeGroups(nodes: Nodes): void {
  const join = (node: Cluster, group: string, key: string, limit = 1_000, expiresAt = soon()) =>
    node.write(key, '{}', { was: undefined, expiresAt, group: { name: group, limit } });

  it('lists the keys of a group in pages, oldest first', async () => {
    const { one, other } = nodes();
    const group = unique('group');
    const keys = Array.from({ length: 25 }, (_, index) => unique(`key ${99 - index}`));
    for (const [index, key] of keys.entries()) await join(index % 2 ? one : other, group, key);
    expect(await one.list(group, { limit: 100 })).toEqual(keys);
    const pages: string[][] = [];
    for (let after: string | undefined; pages.length < 10; after = pages.at(-1)?.at(-1)) {
      const page = await other.list(group, { after, limit: 10 });
      if (page.length === 0) break;
      pages.push(page);
    }
    expect(pages.map(page => page.length)).toEqual([10, 10, 5]);
    expect(pages.flat()).toEqual(keys);
    expect(await one.list(group, { limit: 0 })).toEqual([]);
    expect(await one.list(unique('group'), { limit: 10 })).toEqual([]);
  });

  it('starts a list again if the key to go on from is gone', async () => {
    const { one } = nodes();
    const group = unique('group');
    const keys = [unique('a'), unique('b'), unique('c')];
    for (const key of keys) await join(one, group, key);
    await one.remove(keys[1] as string);
    expect(await one.list(group, { after: keys[1], limit: 10 })).toEqual([keys[0], keys[2]]);
  });

  it('keeps a key in its group and place when its value changes', async () => {
    const { one, other } = nodes();
    const group = unique('group');
    const [first, second] = [unique('key'), unique('key')];
    const was = await join(one, group, first);
    await join(one, group, second);
    const elsewhere = { name: unique('group'), limit: 1 };
    await other.write(first, '{"new":1}', { was, expiresAt: soon(), group: elsewhere });
    expect(await one.list(group, { limit: 10 })).toEqual([first, second]);
    expect(await one.list(elsewhere.name, { limit: 10 })).toEqual([]);
  });

  it('refuses more keys than a group may have, however many nodes add them at once', async () => {
    const { one, other } = nodes();
    const group = unique('group');
    const attempts = Array.from({ length: 40 }, (_, index) =>
      join(index % 2 ? one : other, group, unique('key'), 7),
    );
    const outcomes = await Promise.allSettled(attempts);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(7);
    for (const outcome of outcomes)
      if (outcome.status === 'rejected') expect(outcome.reason).toBeInstanceOf(GroupFull);
    const keys = await one.list(group, { limit: 100 });
    expect(keys).toHaveLength(7);

    await one.remove(keys[3] as string);
    await join(other, group, unique('key'), 7);
    await expect(join(one, group, unique('key'), 7)).rejects.toThrow(GroupFull);
    await expect(join(one, unique('group'), unique('key'), 0)).rejects.toThrow(GroupFull);
  });

  it('tells a writer that came second so, whether the group is full or not', async () => {
    const { one, other } = nodes();
    const group = unique('group');
    const key = unique('key');
    await join(one, group, key, 1);
    expect(await join(other, group, key, 1)).toBeUndefined();
  });

  it('counts and lists no keys that have expired', async () => {
    const { one, other } = nodes();
    const group = unique('group');
    const brief = [unique('key'), unique('key')];
    const lasting = unique('key');
    for (const key of brief) await join(one, group, key, 3, Date.now() + 300);
    await join(one, group, lasting, 3);
    await expect.poll(() => other.list(group, { limit: 10 })).toEqual([lasting]);
    const more = [unique('key'), brief[0] as string];
    for (const key of more) await join(other, group, key, 3);
    await expect(join(other, group, unique('key'), 3)).rejects.toThrow(GroupFull);
    expect(await one.list(group, { limit: 10 })).toEqual([lasting, ...more]);
  });

  it('takes a key out of its old group when it is written anew into another', async () => {
    const { one } = nodes();
    const [before, after, key] = [unique('group'), unique('group'), unique('key')];
    await join(one, before, key);
    await one.remove(key);
    await join(one, after, key);
    expect(await one.list(before, { limit: 10 })).toEqual([]);
    expect(await one.list(after, { limit: 10 })).toEqual([key]);
  });
}

function describeLogs(nodes: Nodes): void {
  it('gives the entries after a number, in their order, to every node', async () => {
    const { one, other } = nodes();
    const log = unique('log');
    expect(await one.readLog(log, -1)).toBeUndefined();
    await one.append(log, numbered(0, 3), KEPT);
    await other.append(log, numbered(10, 2), KEPT);
    expect(await other.readLog(log, -1)).toEqual([...numbered(0, 3), ...numbered(10, 2)]);
    expect(await one.readLog(log, 1)).toEqual([...numbered(2, 1), ...numbered(10, 2)]);
    expect(await one.readLog(log, 11)).toEqual([]);
    expect(await one.readLog(log, Number.MAX_SAFE_INTEGER)).toEqual([]);
  });

  it('leaves out entries that it has already, so that an append can be repeated', async () => {
    const { one, other } = nodes();
    const log = unique('log');
    await one.append(log, numbered(1, 3), KEPT);
    await one.append(log, numbered(1, 3), KEPT);
    await other.append(log, numbered(2, 4), KEPT);
    expect(await one.readLog(log, -1)).toEqual(numbered(1, 5));
  });

  it('drops the oldest entries when there are too many', async () => {
    const { one, other } = nodes();
    const log = unique('log');
    await one.append(log, numbered(0, 8), { ...KEPT, maxEntries: 5 });
    expect(await other.readLog(log, -1)).toEqual(numbered(3, 5));
    await other.append(log, numbered(8, 1), { ...KEPT, maxEntries: 5 });
    expect(await one.readLog(log, -1)).toEqual(numbered(4, 5));
    await one.append(log, [], { ...KEPT, maxEntries: 0 });
    expect(await one.readLog(log, -1)).toEqual([]);
    // Numbers that were in the log before do not come back.
    await one.append(log, numbered(7, 3), KEPT);
    expect(await one.readLog(log, -1)).toEqual(numbered(9, 1));
  });

  it('drops the oldest entries when they are too large, measured as UTF-8', async () => {
    const { one, other } = nodes();
    const log = unique('log');
    const entries = [1, 2, 3, 4].map(number => ({ number, text: 'é'.repeat(100) }));
    await one.append(log, entries, { ...KEPT, maxBytes: 450 });
    expect((await other.readLog(log, -1))?.map(({ number }) => number)).toEqual([3, 4]);
    await one.append(log, [{ number: 5, text: 'x'.repeat(250) }], { ...KEPT, maxBytes: 450 });
    expect((await other.readLog(log, -1))?.map(({ number }) => number)).toEqual([4, 5]);
    await one.append(log, [{ number: 6, text: 'x'.repeat(500) }], { ...KEPT, maxBytes: 450 });
    expect(await other.readLog(log, -1)).toEqual([]);
  });

  it('keeps what the limits leave over, for any appends', async () => {
    const { one, other } = nodes();
    const texts = fc.array(
      fc.array(fc.string({ unit: fc.constantFrom('a', 'é', '🍜', '\n'), maxLength: 30 }), { maxLength: 6 }),
      {
        maxLength: 6,
      },
    );
    await fc.assert(
      fc.asyncProperty(texts, fc.nat(12), fc.nat(200), async (appends, maxEntries, maxBytes) => {
        const log = unique('log');
        let kept: LogEntry[] = [];
        let number = 0;
        for (const [index, append] of appends.entries()) {
          const entries = append.map(text => ({ number: number++, text }));
          await (index % 2 ? one : other).append(log, entries, { ...KEPT, maxEntries, maxBytes });
          kept.push(...entries);
          while (kept.length > maxEntries || bytesOf(kept) > maxBytes) kept = kept.slice(1);
        }
        expect(await one.readLog(log, -1)).toEqual(appends.length === 0 ? undefined : kept);
      }),
      { numRuns: 15 },
    );
  });

  it('is there without entries after an append of none, and gone when it has expired', async () => {
    const { one, other } = nodes();
    const log = unique('log');
    await one.append(log, [], KEPT);
    expect(await other.readLog(log, -1)).toEqual([]);
    await one.append(log, numbered(0, 2), { ...KEPT, expiresAt: Date.now() + 300 });
    await expect.poll(() => other.readLog(log, -1)).toBeUndefined();
    await one.append(log, numbered(0, 1), KEPT);
    expect(await other.readLog(log, -1)).toEqual(numbered(0, 1));
  });

  it('numbers entries far beyond 32 bits', async () => {
    const { one, other } = nodes();
    const log = unique('log');
    const entries = numbered(Number.MAX_SAFE_INTEGER - 2, 3);
    await one.append(log, entries, KEPT);
    expect(await other.readLog(log, Number.MAX_SAFE_INTEGER - 2)).toEqual(entries.slice(1));
  });
}

function describeNames(nodes: Nodes): void {
  it.each(ODD_NAMES.map(name => [name.slice(0, 40), name] as const))(
    'takes a name such as %j for keys, groups and logs',
    async (_, odd) => {
      const { one, other } = nodes();
      const name = unique(odd);
      await one.write(name, 'soup', { was: undefined, expiresAt: soon(), group: { name, limit: 2 } });
      expect((await other.read(name))?.value).toBe('soup');
      expect(await other.list(name, { limit: 2 })).toEqual([name]);
      await one.append(name, numbered(0, 1), KEPT);
      expect(await other.readLog(name, -1)).toEqual(numbered(0, 1));
      await other.remove(name);
      expect(await one.read(name)).toBeUndefined();
      expect(await one.readLog(name, -1)).toEqual(numbered(0, 1));
    },
  );

  it.each([
    ['is empty', ''],
    ['has a NUL character', 'a\0b'],
    ['has half of a character', 'a\uD83D'],
    ['is longer than 2,000 bytes', 'é'.repeat(1_001)],
  ])('refuses a name that %s', async (_, name) => {
    const { one } = nodes();
    const listener = { onMessage() {} };
    const uses = [
      one.publish(name, ''),
      one.subscribe(name, listener),
      one.read(name),
      one.write(name, '', { was: undefined, expiresAt: soon() }),
      one.write('key', '', { was: undefined, expiresAt: soon(), group: { name, limit: 1 } }),
      one.remove(name),
      one.list(name, { limit: 1 }),
      one.append(name, [], KEPT),
      one.readLog(name, 0),
    ];
    for (const outcome of await Promise.allSettled(uses))
      expect(outcome).toMatchObject({ status: 'rejected', reason: { kind: 'usage' } });
  });

  it('refuses texts and numbers that a store could not keep', async () => {
    const { one } = nodes();
    const refused = [
      one.publish('topic', 'a\0'),
      one.write('key', '\uDC00', { was: undefined, expiresAt: soon() }),
      one.write('key', '', { was: undefined, expiresAt: Number.NaN }),
      one.append('log', [{ number: 0, text: '\0' }], KEPT),
      one.append('log', [{ number: -1, text: '' }], KEPT),
      one.append('log', [...numbered(2, 1), ...numbered(1, 1)], KEPT),
      one.append('log', [], { ...KEPT, maxBytes: -1 }),
      one.readLog('log', 0.5),
      one.list('group', { limit: 0.5 }),
    ];
    for (const outcome of await Promise.allSettled(refused))
      expect(outcome).toMatchObject({ status: 'rejected', reason: { kind: 'usage' } });
  });
}

/** Names that are allowed, with what stores, patterns and separators may take for their own. */
const ODD_NAMES = [
  'naïve 料理 🍜',
  'a:b{c}d*e?f[g]h',
  'quote \' double " back \\ slash',
  '  spaces\tand\nlines  ',
  '__proto__',
  '%s $1 {0}',
  'x'.repeat(1_900),
];

/** Another name each time: the tests of a store share it. */
function unique(name: string): string {
  return `${crypto.randomUUID()} ${name}`;
}

function soon(): number {
  return Date.now() + 600_000;
}

function numbered(from: number, count: number): LogEntry[] {
  return Array.from({ length: count }, (_, index) => ({
    number: from + index,
    text: `entry ${from + index}`,
  }));
}

function bytesOf(entries: readonly LogEntry[]): number {
  return entries.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
}

/** Raises a counter by one, as often as another node was quicker. */
async function raise(node: Cluster, key: string): Promise<void> {
  for (;;) {
    const stored = await node.read(key);
    const value = `${Number(stored?.value ?? 0) + 1}`;
    if (await node.write(key, value, { was: stored?.version, expiresAt: soon() })) return;
  }
}
