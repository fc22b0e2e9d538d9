import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type RedisClusterOptions, redisCluster } from '../../src/node/server/redis/index.js';
import { isInstalled } from '../services/programs.js';
import { type RedisService, startRedis } from '../services/redis.js';
import { freePort } from '../services/service-process.js';
import { describeContract } from './contract.js';
import { describeFaults, TIMEOUT_MS } from './faults.js';
import { recordTopic } from './recording.js';

/** Generous: a machine that is busy with something else is slow, and that is no failure. */
const PATIENT_MS = 30_000;
const soon = () => Date.now() + 600_000;

describe.runIf(isInstalled('redis'))('on Redis', () => {
  let redis: RedisService;

  describeContract('redisCluster', {
    start: async () => {
      redis = await startRedis();
    },
    open: () => redisCluster({ url: redis.url, timeoutMs: PATIENT_MS }),
    stop: () => redis?.stop(),
  });

  describeFaults('redisCluster', {
    start: async () => {
      redis = await startRedis();
      return redis;
    },
    open: port => redisCluster({ url: `redis://127.0.0.1:${port}`, timeoutMs: TIMEOUT_MS }),
    fill: async () => {
      await redis.command('CONFIG', 'SET', 'maxmemory', '1');
    },
    free: async () => {
      await redis.command('CONFIG', 'SET', 'maxmemory', '0');
    },
    // A replica, whose source does not exist, keeps its data and takes no writes.
    setReadOnly: async isReadOnly => {
      await redis.command('REPLICAOF', ...(isReadOnly ? ['127.0.0.1', '1'] : ['NO', 'ONE']));
    },
  });

  describe('redisCluster alone', () => {
    beforeAll(async () => {
      redis = await startRedis();
    });
    afterAll(() => redis?.stop());

    const open = (options: Partial<RedisClusterOptions> = {}) => {
      const node = redisCluster({ url: redis.url, timeoutMs: PATIENT_MS, ...options });
      onTestFinished(() => node.close());
      return node;
    };

    it('keeps prefixes apart', async () => {
      const [one, other] = [open({ prefix: 'one' }), open({ prefix: 'other' })];
      await one.write('key', 'soup', { was: undefined, expiresAt: soon() });
      expect(await other.read('key')).toBeUndefined();
      const heard = await recordTopic(other, 'topic');
      await one.publish('topic', 'to one');
      await other.publish('topic', 'to other');
      await expect.poll(() => heard.messages).toEqual(['to other']);
    });

    it('leaves nothing behind when everything has expired', async () => {
      const node = open({ prefix: 'expired' });
      const expiresAt = Date.now() + 300;
      await node.write('key', '', { was: undefined, expiresAt, group: { name: 'group', limit: 1 } });
      await node.append('log', [{ number: 1, text: '' }], { expiresAt, maxEntries: 1, maxBytes: 1 });
      const count = () => redis.command('EVAL', "return #redis.call('KEYS', '{expired}:*')", '0');
      // The counter of arrivals stays.
      await expect.poll(count).toBe(':1');
    });

    it('goes on when Redis has forgotten the scripts', async () => {
      const node = open();
      await node.write('before', '', { was: undefined, expiresAt: soon() });
      expect(await redis.command('SCRIPT', 'FLUSH')).toBe('+OK');
      expect(await node.write('after', '', { was: undefined, expiresAt: soon() })).toEqual(
        expect.any(String),
      );
    });

    it('keeps all keys of a prefix in one slot of a Redis Cluster', async () => {
      // By default it takes a port that is 10,000 higher, which there may not be.
      const bus = `${await freePort()}`;
      const sharded = await startRedis(['--cluster-enabled', 'yes', '--cluster-port', bus]);
      onTestFinished(() => sharded.stop());
      expect(await sharded.command('CLUSTER', 'ADDSLOTSRANGE', '0', '16383')).toBe('+OK');
      await expect.poll(() => sharded.command('SET', 'probe', '1')).toBe('+OK');
      const node = open({ url: sharded.url });
      const group = { name: 'group', limit: 2 };
      for (const key of ['one', 'two'])
        await node.write(key, '', { was: undefined, expiresAt: soon(), group });
      expect(await node.list('group', { limit: 9 })).toEqual(['one', 'two']);
      await node.remove('one');
      await node.append('log', [{ number: 1, text: 'soup' }], {
        expiresAt: soon(),
        maxEntries: 9,
        maxBytes: 9,
      });
      expect(await node.readLog('log', 0)).toEqual([{ number: 1, text: 'soup' }]);
      const heard = await recordTopic(node, 'topic');
      await node.publish('topic', 'soup');
      await expect.poll(() => heard.messages).toEqual(['soup']);
    });

    it('says what Redis objects to', async () => {
      await expect(
        open({ url: redis.url.replace('//', '//ada:wrong@'), timeoutMs: 1_000 }).read('key'),
      ).rejects.toMatchObject({
        kind: 'cluster-unavailable',
        message: expect.stringContaining('WRONGPASS'),
      });
    });

    it.each([
      [{}, 'must start with redis://'],
      [{ url: 'http://127.0.0.1' }, 'must start with redis://'],
      [{ url: 'redis://127.0.0.1', prefix: 'a}b' }, 'must not contain braces'],
      [{ url: 'redis://127.0.0.1', timeoutMs: Number.NaN }, 'greater than 0'],
      [{ url: 'redis://127.0.0.1', prefx: 'a' }, 'did you mean "prefix"?'],
    ])('refuses the options %j', (options, message) => {
      expect(() => redisCluster(options as RedisClusterOptions)).toThrow(message);
    });
  });
});
