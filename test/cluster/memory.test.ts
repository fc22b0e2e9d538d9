import { expect, it } from 'vitest';
import { type Cluster, memoryCluster, StoreFull } from '../../src/server/cluster/index.js';
import { describeContract } from './contract.js';

let cluster: Cluster;

describeContract('memoryCluster', {
  start: async () => {
    cluster = memoryCluster();
  },
  open: () => cluster,
  stop: () => cluster.close(),
});

const KiB = 1024;
const text = (bytes: number) => 'x'.repeat(bytes / 2);
const expiresAt = Date.now() + 3_600_000;

it('a memoryCluster that is full refuses new values, and those that grow too much, until some go', async () => {
  const small = memoryCluster({ maxBytes: 1024 * KiB });
  const write = (key: string, bytes: number, was?: string) =>
    small.write(key, text(bytes), { was, expiresAt });
  const version = await write('a', 300 * KiB);
  await write('b', 200 * KiB);
  await expect(write('c', 100 * KiB)).rejects.toThrow(StoreFull);
  // A part is left to values that grow.
  const grown = await write('a', 500 * KiB, version);
  await expect(write('a', 600 * KiB, grown)).rejects.toThrow(StoreFull);
  await write('a', 400 * KiB, grown);
  await small.remove('a');
  expect(await write('c', 300 * KiB)).toBeDefined();
});

it('a group fills no more than its share of a memoryCluster', async () => {
  const small = memoryCluster({ maxBytes: 1024 * KiB });
  const write = (key: string, group: string) =>
    small.write(key, text(200 * KiB), {
      was: undefined,
      expiresAt,
      group: { name: group, limit: 100 },
    });
  await write('a', 'tasks of ada');
  await expect(write('b', 'tasks of ada')).rejects.toThrow(StoreFull);
  expect(await write('c', 'tasks of bob')).toBeDefined();
});

it('old logs of a memoryCluster give way to new ones', async () => {
  const small = memoryCluster({ maxBytes: 1024 * KiB });
  const options = { expiresAt, maxEntries: 10, maxBytes: 1024 * KiB };
  for (const log of ['a', 'b', 'c']) await small.append(log, [{ number: 0, text: text(100 * KiB) }], options);
  expect(await small.readLog('a', -1)).toBeUndefined();
  expect(await small.readLog('c', -1)).toHaveLength(1);
});
