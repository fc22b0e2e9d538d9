// Uses a cluster, closes it, and should end by itself: nothing may keep the process alive.
const [store, where] = process.argv.slice(2) as [string, string];
const cluster =
  store === 'redis'
    ? (await import('../../src/node/server/redis/index.js')).redisCluster({ url: where, timeoutMs: 60_000 })
    : (await import('../../src/node/server/postgres/index.js')).postgresCluster({
        connectionString: where,
        timeoutMs: 60_000,
      });

const expiresAt = Date.now() + 60_000;
const heard = new Promise<string>(resolve => {
  void cluster.subscribe('topic', { onMessage: resolve }).then(async () => {
    await cluster.write('key', 'value', { was: undefined, expiresAt });
    await cluster.publish('topic', 'soup');
  });
});
console.log(await heard);
await cluster.close();
