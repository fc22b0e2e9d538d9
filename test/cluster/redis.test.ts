import { describe } from 'vitest';
import { redisCluster } from '../../src/node/server/redis/index.js';
import { isInstalled } from '../services/programs.js';
import { type RedisService, startRedis } from '../services/redis.js';
import { describeContract } from './contract.js';
import { describeFaults, TIMEOUT_MS } from './faults.js';

describe.runIf(isInstalled('redis'))('on Redis', () => {
  let redis: RedisService;

  describeContract('redisCluster', {
    start: async () => {
      redis = await startRedis();
    },
    // Generous: a machine that is busy with something else is slow, and that is no failure.
    open: () => redisCluster({ url: redis.url, timeoutMs: 30_000 }),
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
});
