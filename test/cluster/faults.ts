import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Cluster, ClusterUnavailable } from '../../src/server/cluster/index.js';
import { type BadNetwork, startBadNetwork } from '../services/bad-network.js';
import type { ServiceControl } from '../services/service-process.js';
import { recordTopic } from './recording.js';

/** A store that tests can break. */
export interface Breakable {
  start(): Promise<ServiceControl>;
  /** A node whose calls may take a second. */
  open(port: number): Cluster;
  /** Lets the store take no more data, until it is freed. */
  fill(): Promise<void>;
  free(): Promise<void>;
  setReadOnly(isReadOnly: boolean): Promise<void>;
}

/** The time for a call in these tests. */
export const TIMEOUT_MS = 1_000;

/** What every cluster does while its store is away, and when it is back. */
export function describeFaults(name: string, breakable: Breakable): void {
  describe(`${name}, whose store fails`, () => {
    let store: ServiceControl;
    beforeAll(async () => {
      store = await breakable.start();
    });
    afterAll(() => store?.stop());
    afterEach(async () => {
      store.resume();
    });

    const open = (port = store.port) => {
      const node = breakable.open(port);
      onTestFinished(() => node.close());
      return node;
    };

    it('fails in bounded time while the store is dead, and has its data when it is back', async () => {
      const [node, publisher] = [open(), open()];
      const key = unique('key');
      const version = await healed(() => node.write(key, 'soup', { was: undefined, expiresAt: soon() }));
      const heard = await recordTopic(node, key);
      await store.kill();
      await expectUnavailable(node, key);
      const refused = /^\w+ cannot be reached: connect ECONNREFUSED 127\.0\.0\.1:\d+$/;
      await expect(node.read(key)).rejects.toThrow(refused);
      await expect(open().subscribe(key, { onMessage() {} })).rejects.toThrow(refused);
      await store.restart();
      expect(await healed(() => node.read(key))).toEqual({ value: 'soup', version });
      await expect.poll(() => heard.gaps()).toBeGreaterThan(0);
      await healed(() => publisher.publish(key, 'bread'));
      await expect.poll(() => heard.messages).toContain('bread');
    });

    it('fails in bounded time while the store is paused, and heals', async () => {
      const [node, publisher] = [open(), open()];
      const key = unique('key');
      await healed(() => node.write(key, 'soup', { was: undefined, expiresAt: soon() }));
      const heard = await recordTopic(node, key);
      store.pause();
      await expectUnavailable(node, key);
      store.resume();
      expect((await healed(() => node.read(key)))?.value).toBe('soup');
      await vi.waitFor(async () => {
        await publisher.publish(key, 'bread');
        expect(heard.messages).toContain('bread');
      }, WAIT);
    });

    it('can be opened before its store is there', async () => {
      await store.kill();
      const node = open();
      const key = unique('key');
      await expectUnavailable(node, key);
      await store.restart();
      const { messages } = await healed(() => recordTopic(node, key));
      await healed(() => node.publish(key, 'soup'));
      await expect.poll(() => messages).toContain('soup');
    });

    it('works with a slow store, and fails with one that is too slow', async () => {
      const network = await badNetwork(store.port);
      const node = open(network.port);
      const key = unique('key');
      network.delay(30);
      const version = await healed(() => node.write(key, 'soup', { was: undefined, expiresAt: soon() }));
      expect(version).toEqual(expect.any(String));
      network.delay(TIMEOUT_MS * 2);
      await expectUnavailable(node, key);
      network.delay(0);
      expect((await healed(() => node.read(key)))?.value).toBe('soup');
    });

    it('notices by itself that it was cut off without a word, and tells of the gap', async () => {
      const network = await badNetwork(store.port);
      const node = open(network.port);
      const publisher = open();
      const topic = unique('topic');
      const heard = await healed(() => recordTopic(node, topic));
      network.cut();
      await healed(() => publisher.publish(topic, 'while it was away'));
      await expect(node.read(topic)).rejects.toThrow(ClusterUnavailable);
      network.mend();
      await expect
        .poll(() => heard.gaps() > 0 || heard.messages.includes('while it was away'), { timeout: 120_000 })
        .toBe(true);
      await healed(() => publisher.publish(topic, 'after'));
      await expect.poll(() => heard.messages).toContain('after');
    });

    it('takes no writes while the store is full, and goes on reading and removing', async () => {
      const node = open();
      const [key, kept] = [unique('key'), unique('key')];
      const was = await healed(() => node.write(kept, 'soup', { was: undefined, expiresAt: soon() }));
      await healed(() => node.append(kept, [{ number: 1, text: 'soup' }], KEPT));
      await breakable.fill();
      onTestFinished(() => breakable.free());
      const large = { value: noise(1_000_000), entries: [{ number: 2, text: noise(1_000_000) }] };
      await expectRejection(node.write(key, large.value, { was: undefined, expiresAt: soon() }));
      await expectRejection(node.write(kept, large.value, { was, expiresAt: soon() }));
      await expectRejection(node.append(kept, large.entries, KEPT));
      expect((await healed(() => node.read(kept)))?.value).toBe('soup');
      expect(await healed(() => node.readLog(kept, 0))).toEqual([{ number: 1, text: 'soup' }]);
      await healed(() => node.remove(kept));
      await breakable.free();
      expect(await healed(() => node.write(key, large.value, { was: undefined, expiresAt: soon() }))).toEqual(
        expect.any(String),
      );
    });

    it('reads from a store that is read-only, and writes again when it may', async () => {
      const node = open();
      const key = unique('key');
      const group = { name: key, limit: 5 };
      const was = await healed(() => node.write(key, 'soup', { was: undefined, expiresAt: soon(), group }));
      await healed(() => node.append(key, [{ number: 1, text: 'soup' }], KEPT));
      await breakable.setReadOnly(true);
      onTestFinished(() => breakable.setReadOnly(false));
      expect((await healed(() => node.read(key)))?.value).toBe('soup');
      await expectRejection(node.write(key, 'bread', { was, expiresAt: soon() }));
      await expectRejection(node.append(key, [{ number: 2, text: '' }], KEPT));
      await expectRejection(node.remove(key));
      expect(await healed(() => node.list(key, { limit: 5 }))).toEqual([key]);
      expect(await healed(() => node.readLog(key, 0))).toHaveLength(1);
      await breakable.setReadOnly(false);
      expect(await healed(() => node.write(key, 'bread', { was, expiresAt: soon() }))).toEqual(
        expect.any(String),
      );
    });

    it('goes on with a store that comes back empty, and takes no old version for current', async () => {
      const [node, publisher] = [open(), open()];
      const key = unique('key');
      const was = await healed(() => node.write(key, 'soup', { was: undefined, expiresAt: soon() }));
      const heard = await healed(() => recordTopic(node, key));
      await store.restartEmpty();
      expect(await healed(() => node.read(key))).toBeUndefined();
      expect(await healed(() => node.write(key, 'x', { was, expiresAt: soon() }))).toBeUndefined();
      await expect.poll(() => heard.gaps()).toBeGreaterThan(0);
      await healed(() => publisher.publish(key, 'bread'));
      await expect.poll(() => heard.messages).toContain('bread');
      expect(await healed(() => publisher.write(key, 'new', { was: undefined, expiresAt: soon() }))).toEqual(
        expect.any(String),
      );
      expect((await healed(() => node.read(key)))?.value).toBe('new');
    });

    it('loses no acknowledged write when the store is killed again and again', async () => {
      const nodes = [open(), open(), open()];
      const log = unique('log');
      let isOver = false;
      const counts = nodes.map(async (node, index) => {
        const acknowledged: string[] = [];
        for (let number = 0; !isOver; number++) {
          const key = `${log} ${index} ${number}`;
          const write = node.write(key, key, { was: undefined, expiresAt: soon() });
          if (await write.catch(ignoreUnavailable)) acknowledged.push(key);
        }
        return acknowledged;
      });
      try {
        for (let kills = 0; kills < 3; kills++) {
          await healed(() => nodes[0]!.read(log));
          await store.kill();
          await store.restart();
        }
      } finally {
        isOver = true;
      }
      for (const key of (await Promise.all(counts)).flat())
        expect((await healed(() => nodes[0]!.read(key)))?.value).toBe(key);
    });

    it('ends at once when it is closed, also while the store is away', async () => {
      const node = open();
      await healed(() => node.read('key'));
      store.pause();
      const waiting = node.read('key');
      const outcome = expect(waiting).rejects.toThrow(ClusterUnavailable);
      await node.close();
      await outcome;
      await expectUnavailable(node, 'key');
      await node.close();
    });
  });
}

const WAIT = { timeout: 120_000, interval: 50 };
const KEPT = { expiresAt: Date.now() + 3_600_000, maxEntries: 100, maxBytes: 10_000_000 };

/** Every method fails with an error that says that trying again later may help. */
async function expectUnavailable(node: Cluster, name: string): Promise<void> {
  const calls = [
    node.publish(name, 'soup'),
    node.subscribe(unique('topic'), { onMessage() {} }),
    node.read(name),
    node.write(name, '', { was: undefined, expiresAt: soon() }),
    node.remove(name),
    node.list(name, { limit: 1 }),
    node.append(name, [], KEPT),
    node.readLog(name, 0),
  ];
  for (const outcome of await Promise.allSettled(calls))
    expect(outcome).toMatchObject({ status: 'rejected', reason: { kind: 'cluster-unavailable' } });
}

async function expectRejection(call: Promise<unknown>): Promise<void> {
  await expect(call).rejects.toThrow(ClusterUnavailable);
}

/** Repeats a call for as long as the store is away. Every other error is one. */
async function healed<T>(call: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ClusterUnavailable) || Date.now() > deadline) throw error;
    }
    await new Promise(resolve => setTimeout(resolve, 20));
  }
}

function ignoreUnavailable(error: unknown): undefined {
  if (!(error instanceof ClusterUnavailable)) throw error;
}

async function badNetwork(port: number): Promise<BadNetwork> {
  const network = await startBadNetwork(port);
  onTestFinished(() => network.stop());
  return network;
}

function unique(name: string): string {
  return `${crypto.randomUUID()} ${name}`;
}

function soon(): number {
  return Date.now() + 600_000;
}

/** Text that does not get smaller when a store compresses it. */
function noise(length: number): string {
  let text = '';
  while (text.length < length) text += crypto.randomUUID();
  return text.slice(0, length);
}
