import { spawnSync } from 'node:child_process';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { postgresCluster } from '../../src/node/server/postgres/index.js';
import { redisCluster } from '../../src/node/server/redis/index.js';
import { type Cluster, memoryCluster } from '../../src/server/cluster/index.js';
import { fetchHandler } from '../../src/server/http/index.js';
import { Server } from '../../src/server/index.js';
import { freshKeys } from '../keys.js';
import { startPostgres } from '../services/postgres.js';
import { isInstalled } from '../services/programs.js';
import { startRedis } from '../services/redis.js';
import type { ServiceControl } from '../services/service-process.js';

/** A node, and what its operator is told. */
function startNode(cluster: Cluster, keys: readonly Uint8Array[]) {
  const errors: string[] = [];
  const warnings: string[] = [];
  const server = new Server(
    { name: 'bistro', version: '1.0.0' },
    {
      onError: error => void errors.push(String(error)),
      onWarning: text => void warnings.push(text),
    },
  );
  const handler = fetchHandler(server, { keys, cluster });
  onTestFinished(() => handler.close());
  return { errors, warnings };
}

const PATIENCE = { timeout: 120_000, interval: 20 };

/** A connection to a store that keeps what was published with it. */
function record(cluster: Cluster): { cluster: Cluster; published: string[] } {
  const published: string[] = [];
  const publish = async (topic: string, message: string) => {
    await cluster.publish(topic, message);
    published.push(message);
  };
  const get = (target: Cluster, name: keyof Cluster) => {
    const member = target[name];
    if (name === 'publish') return publish;
    return typeof member === 'function' ? member.bind(target as never) : member;
  };
  return { cluster: new Proxy(cluster, { get: get as never }), published };
}

async function tellsOfLoss(store: string, service: ServiceControl, connection: Cluster): Promise<void> {
  onTestFinished(() => service.stop());
  onTestFinished(() => connection.close());
  const { cluster, published } = record(connection);
  const { errors, warnings } = startNode(cluster, freshKeys());
  // It greets the others on two topics, and then it is idle.
  await vi.waitFor(() => expect(published).toHaveLength(2), PATIENCE);
  await service.kill();
  const lost = expect.stringContaining(`the connection to ${store} was lost`);
  await vi.waitFor(() => expect(errors).toEqual([lost]), PATIENCE);
  await service.restart();
  await vi.waitFor(() => expect(warnings).toEqual(['the store that the nodes share is back']), PATIENCE);
  expect(errors).toHaveLength(1);
}

describe('the operator of a node', () => {
  it.runIf(isInstalled('redis'))('is told once that Redis was lost, and once that it is back', async () => {
    const redis = await startRedis();
    await tellsOfLoss('Redis', redis, redisCluster({ url: redis.url }));
  });

  it.runIf(isInstalled('postgres'))(
    'is told once that Postgres was lost, and once that it is back',
    async () => {
      const postgres = await startPostgres();
      const { connectionString } = postgres;
      await tellsOfLoss('Postgres', postgres, postgresCluster({ connectionString }));
    },
  );

  it('is told of nodes with other keys, and hears nothing of the keys themselves', async () => {
    const cluster = memoryCluster();
    const [one, other] = [freshKeys(), freshKeys()];
    const nodes = [one, other, one].map(keys => startNode(cluster, keys));
    for (const { warnings } of nodes)
      await vi.waitFor(
        () => expect(warnings).toEqual([expect.stringContaining('has other keys than this one')]),
        PATIENCE,
      );
  });

  it('is told nothing of nodes that have the same keys, or know each other while keys change', async () => {
    const { cluster, published } = record(memoryCluster());
    const [older, newer] = [...freshKeys(), ...freshKeys()] as [Uint8Array, Uint8Array];
    const nodes = [
      [older, newer],
      [older, newer],
      [newer, older],
    ].map(keys => startNode(cluster, keys));
    const answers = () => published.filter(text => text.includes('"answer"'));
    await vi.waitFor(() => expect(answers().length).toBeGreaterThan(3), PATIENCE);
    expect(nodes.flatMap(({ warnings }) => warnings)).toEqual([]);
    for (const key of [older, newer])
      expect(published.join()).not.toContain(Buffer.from(key).toString('base64url'));
  });

  it.each([
    ['redis', '@redis/client'],
    ['postgres', 'pg'],
  ])('of a server on %s is told at its start that %s is not installed', (store, missing) => {
    const args = [
      ...['--import', './test/cluster/fixtures/missing-package.mjs'],
      ...['test/cluster/fixtures/listening-node.mjs', store],
    ];
    const env = { ...process.env, MISSING: missing };
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toContain(`needs the package ${missing}: npm install ${missing}`);
  });
});
