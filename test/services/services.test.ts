import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { roundRobin, startNginx } from './nginx.js';
import { startPostgres } from './postgres.js';
import { isInstalled } from './programs.js';
import { startRedis } from './redis.js';

describe.runIf(isInstalled('redis'))('Redis', () => {
  it('keeps its data over a crash, waits while it is paused, and can be emptied', async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.stop());
    expect(await redis.command('SET', 'dish', 'soup')).toBe('+OK');
    await redis.kill();
    await expect(redis.command('PING')).rejects.toThrow('ECONNREFUSED');
    await redis.restart();
    expect(await redis.command('STRLEN', 'dish')).toBe(':4');

    redis.pause();
    let answered = false;
    const answer = redis.command('PING').finally(() => {
      answered = true;
    });
    await new Promise(resolve => setImmediate(resolve));
    expect(answered).toBe(false);
    redis.resume();
    expect(await answer).toBe('+PONG');

    await redis.restartEmpty();
    expect(await redis.command('STRLEN', 'dish')).toBe(':0');
  });
});

describe.runIf(isInstalled('postgres'))('Postgres', () => {
  it('keeps its data over a crash, and can be emptied', async () => {
    const postgres = await startPostgres();
    onTestFinished(() => postgres.stop());
    await postgres.query("CREATE TABLE dishes AS SELECT 'soup' AS name");
    await postgres.kill();
    await expect(postgres.query('SELECT 1')).rejects.toThrow('ECONNREFUSED');
    await postgres.restart();
    expect(await postgres.query('SELECT name FROM dishes')).toEqual([{ name: 'soup' }]);

    postgres.pause();
    const answer = postgres.query('SELECT 1 AS one');
    postgres.resume();
    expect(await answer).toEqual([{ one: 1 }]);

    await postgres.restartEmpty();
    await expect(postgres.query('SELECT name FROM dishes')).rejects.toThrow('does not exist');
  });
});

describe.runIf(isInstalled('nginx'))('nginx', () => {
  it('gives requests to one node after the other', async () => {
    const nodes = await Promise.all(['one', 'two', 'three'].map(serve));
    const nginx = await startNginx(roundRobin(nodes));
    onTestFinished(() => nginx.stop());
    const answers: string[] = [];
    for (let count = 0; count < 6; count++) answers.push(await (await fetch(nginx.url)).text());
    expect(answers.slice(3)).toEqual(answers.slice(0, 3));
    expect(answers.slice(0, 3).sort()).toEqual(['one', 'three', 'two']);

    await nginx.kill();
    await expect(fetch(nginx.url)).rejects.toThrow();
    await nginx.restart();
    expect((await fetch(nginx.url)).status).toBe(200);
  });
});

async function serve(name: string): Promise<number> {
  const server = createServer((_, response) => response.end(name)).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise(resolve => server.once('listening', resolve));
  return (server.address() as AddressInfo).port;
}
