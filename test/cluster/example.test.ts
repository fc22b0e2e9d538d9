import { type Client, connect } from 'tenon/client';
import { tasksClient } from 'tenon/tasks/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanEnv } from '../cli/run.js';
import { type RunningCommand, startCommand } from '../cli/running.js';
import { freshKeys } from '../keys.js';
import { type NginxService, startNginx } from '../services/nginx.js';
import { startPostgres } from '../services/postgres.js';
import { isInstalled } from '../services/programs.js';
import { startRedis } from '../services/redis.js';
import type { ServiceControl } from '../services/service-process.js';
import { nginxConfiguration } from './proxied.js';

const FILE = 'examples/cluster/server.ts';
const STORES = {
  redis: async () => {
    const redis = await startRedis();
    return Object.assign(redis, { where: redis.url });
  },
  postgres: async () => {
    const postgres = await startPostgres();
    return Object.assign(postgres, { where: postgres.connectionString });
  },
} as const;

describe.each(Object.keys(STORES) as (keyof typeof STORES)[])('examples/cluster on %s', name => {
  describe.runIf(isInstalled(name) && isInstalled('nginx'))('behind nginx', () => {
    let store: ServiceControl & { where: string };
    let env: NodeJS.ProcessEnv;
    let nodes: RunningCommand[];
    let workers: RunningCommand[];
    let nginx: NginxService;
    let url: string;
    const clients: Client[] = [];

    const run = (...options: string[]) => startCommand(['serve', FILE, '--port', '0', ...options], { env });
    const open = async (revision: string) => {
      const client = await connect(url, {
        revision,
        extensions: [tasksClient({ minPollMs: 20 })],
        onElicit: () => ({ action: 'accept', content: { guests: 3, now: true } }),
      });
      clients.push(client);
      return client;
    };

    beforeAll(async () => {
      store = await STORES[name]();
      const TENON_KEYS = Buffer.from(freshKeys()[0] as Uint8Array).toString('base64');
      env = { ...cleanEnv(), STORE_URL: store.where, TENON_KEYS, COOKING_MS: '50' };
      nodes = [run('--no-work'), run('--no-work'), run('--no-work')];
      workers = [run('--worker')];
      const urls = await Promise.all(nodes.map(node => loggedBy(node, 'listening', 'url')));
      await loggedBy(workers[0] as RunningCommand, 'working', 'health');
      nginx = await startNginx(nginxConfiguration(urls.map(own => Number(new URL(own).port))));
      url = new URL('/mcp', nginx.url).href;
    });

    afterAll(async () => {
      await Promise.all(clients.map(client => client.close()));
      await Promise.all([...(nodes ?? []), ...(workers ?? [])].map(command => command.end('SIGKILL')));
      await nginx?.stop();
      await store?.stop();
    });

    it.each(['2025-06-18', '2026-07-28'])(
      'asks a client of %s, takes its answer at any node, and tells others of the change',
      async revision => {
        const [orderer, watcher] = [await open(revision), await open(revision)];
        const changes = watcher.changes({ resources: ['orders://today'] });
        const heard = changes[Symbol.asyncIterator]().next();
        const dish = `soup for ${revision}`;
        // The client does not wait until it listens, so the change is announced until it hears it.
        let isHeard = false;
        void heard.then(() => {
          isHeard = true;
        });
        await expect
          .poll(
            async () => {
              const { content } = await orderer.callTool('order', { dish });
              expect(content).toMatchObject([{ text: `ordered 3 x ${dish}` }]);
              return isHeard;
            },
            { timeout: 120_000 },
          )
          .toBe(true);
        expect((await heard).value).toMatchObject({ kind: 'resource', uri: 'orders://today' });
        const { contents } = await watcher.readResource('orders://today');
        expect((contents[0] as { text: string }).text).toContain(`3 x ${dish}`);
      },
      60_000,
    );

    it('works on tasks at the node that only works, and not at those that serve', async () => {
      const client = await open('2026-07-28');
      const { content } = await client.callTool('cook', { courses: ['soup', 'stew'] });
      expect(content).toMatchObject([{ text: 'served' }]);
      expect(cooked(workers)).toEqual(['soup', 'stew']);
      expect(cooked(nodes)).toEqual([]);
    });

    it('hands a task over when the node that works is told to end, and repeats no step', async () => {
      const client = await open('2026-07-28');
      workers.push(run('--worker'));
      await Promise.all(workers.map(worker => loggedBy(worker, 'working', 'health')));
      const courses = Array.from({ length: 40 }, (_, at) => `course ${at}`);
      const result = client.callTool('cook', { courses });
      const first = await Promise.race(
        workers.map(async worker => {
          await worker.line(({ message }) => message === 'cooked course 0' || undefined);
          return worker;
        }),
      );
      expect(await first.end('SIGTERM')).toBe(0);
      expect((await result).content).toMatchObject([{ text: 'served' }]);
      const second = workers.filter(worker => worker !== first);
      // The worker of the test before has cooked other courses.
      const ofThisTask = (worker: RunningCommand[]) =>
        cooked(worker).filter(course => courses.includes(course));
      const before = ofThisTask([first]);
      const after = ofThisTask(second);
      expect([...before, ...after].sort()).toEqual([...courses].sort());
      expect(after).not.toEqual([]);
    });
  });
});

/** A member of the line that a command logs when it is ready. */
function loggedBy(command: RunningCommand, message: string, member: string): Promise<string> {
  return command.line(line => (line.message === message ? String(line[member]) : undefined));
}

/** The courses that the processes have cooked, in order. */
function cooked(commands: readonly RunningCommand[]): string[] {
  const texts = commands.flatMap(({ lines }) => lines.map(({ message }) => String(message)));
  return texts.flatMap(text => (text.startsWith('cooked ') ? [text.slice('cooked '.length)] : []));
}
