import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'tenon/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isInstalled } from '../services/programs.js';
import { startRedis } from '../services/redis.js';
import { ROOT, tenon } from './run.js';
import { projectWith, start } from './running.js';

const EXAMPLE = `${ROOT}/examples/cluster/server.ts`;
const IMPORTS = `import { Server } from 'tenon';
import { bullmq } from 'tenon/bullmq';
import { memoryCluster } from 'tenon/cluster';
import { tasks } from 'tenon/tasks';
const engine = bullmq({ url: 'redis://127.0.0.1:1' });
`;

describe('tenon serve --worker', () => {
  it.each([
    ['has no tasks', 'export default new Server({ name: "shop", version: "1" });', 'no tasks to work on'],
    [
      'has no cluster',
      'export default new Server({ name: "shop", version: "1" }, { extensions: [tasks({ engine })] });',
      'write `export const options = { cluster }` into the file',
    ],
    [
      'has a cluster that never leaves the process',
      `export default new Server({ name: "shop", version: "1" }, { extensions: [tasks({ engine })] });
       export const options = { cluster: memoryCluster() };`,
      'Use redisCluster of tenon/redis',
    ],
  ])('says what is missing if the file %s', async (_, source, message) => {
    const cwd = await projectWith({ 'server.ts': IMPORTS + source });
    const { code, stderr } = await tenon(['serve', 'server.ts', '--worker'], { cwd });
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });

  it('refuses to neither work nor serve', async () => {
    const { code, stderr } = await tenon(['serve', 'server.ts', '--worker', '--no-work']);
    expect(stderr).toContain('leave nothing to do');
    expect(code).toBe(2);
  });

  it('says that the store is away, and what to do', async () => {
    const { code, stderr } = await tenon(['serve', EXAMPLE, '--worker'], {
      env: { STORE_URL: 'redis://127.0.0.1:1' },
    });
    expect(stderr).toContain('Start the store that the nodes share');
    expect(code).toBe(3);
  });
});

describe.runIf(isInstalled('redis'))('with Redis', () => {
  it('answers at the health path if there is a port, and serves nothing else', async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.stop());
    const env = { STORE_URL: redis.url };
    const silent = start(['serve', EXAMPLE, '--worker'], { env });
    const line = await silent.line(found => (found.message === 'working' ? found : undefined));
    expect(line).not.toHaveProperty('health');
    const worker = start(['serve', EXAMPLE, '--worker'], { env: { ...env, PORT: '0' } });
    const health = await worker.line(found => (found.message === 'working' ? found.health : undefined));
    expect(await (await fetch(String(health))).text()).toBe('ok\n');
    expect((await fetch(new URL('/mcp', String(health)), { method: 'POST' })).status).toBe(404);
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const port = String((other.address() as AddressInfo).port);
    const refused = await tenon(['serve', EXAMPLE, '--worker', '--port', port], { env });
    expect(refused.stderr).toContain('for the health path: another program uses it');
    expect(refused.code).toBe(3);
    expect(await Promise.all([silent.end('SIGTERM'), worker.end('SIGTERM')])).toEqual([0, 0]);
  });

  it('shares the cluster of the file between processes, so that an answer may reach any of them', async () => {
    const redis = await startRedis();
    onTestFinished(() => redis.stop());
    const command = start(['serve', EXAMPLE, '--port', '0', '--workers', '2'], {
      env: { STORE_URL: redis.url },
    });
    const url = await command.line(line => (line.message === 'listening' ? String(line.url) : undefined));
    await expect.poll(() => command.lines.filter(({ message }) => message === 'listening').length).toBe(2);
    const client = await connect(url, {
      revision: '2025-06-18',
      onElicit: () => ({ action: 'accept', content: { guests: 2 } }),
    });
    onTestFinished(() => client.close());
    // Each connection belongs to one of the processes, so these are asked by both, and answered at both.
    const orders = Array.from({ length: 8 }, (_, at) => client.callTool('order', { dish: `dish ${at}` }));
    for (const { content } of await Promise.all(orders))
      expect(content).toMatchObject([{ text: expect.stringContaining('ordered 2 x dish') }]);
    expect(command.lines.filter(({ level }) => level === 'warn')).toEqual([]);
    expect(await command.end('SIGTERM')).toBe(0);
  });
});
