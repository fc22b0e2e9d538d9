import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { ConnectOptions, ServerChange } from '../../src/client/index.js';
import { connect } from '../../src/node/client/index.js';
import { extension, method, notice, notification } from '../../src/server/extensions/index.js';
import { type NotificationMiddleware, Server } from '../../src/server/index.js';
import { serve } from '../http/serve.js';
import { until } from '../interop-client/until.js';

const ID = 'com.example/shelf';
const PUT = 'notifications/com.example/put';
const TOLD = 'notifications/com.example/told';
const ADDED = 'notifications/com.example/added';
const REVISIONS = ['2025-11-25', '2026-07-28'];

/** A server with one of each kind of message of an extension, and what was reported to its author. */
function createShelf(parts: {
  wants?: (wanted: unknown) => boolean;
  needsClient?: (part: string) => boolean;
}) {
  const [reported, put]: [string[], unknown[]] = [[], []];
  const server = new Server(
    { name: 'shelf', version: '1.0.0' },
    {
      onError: (error, where) => reported.push(`${where}: ${(error as Error).message}`),
      extensions: [
        extension({
          id: ID,
          ...(parts.needsClient && { needsClient: parts.needsClient }),
          methods: {
            'com.example/tell': method(z.object({}), (_, ctx) => {
              ctx.notify(TOLD, { book: 'Emma' });
              return { told: true };
            }),
          },
          notifications: { [PUT]: notification(z.object({}), params => void put.push(params)) },
          sends: [TOLD],
          notices: {
            added: notice(ADDED, { filter: z.boolean(), ...(parts.wants && { wants: parts.wants }) }),
          },
        }),
      ],
    },
  );
  server.tool('look', {}, () => 'Emma');
  return { server, reported, put };
}

async function open(target: Server, options: ConnectOptions & { over?: 'memory' | 'HTTP' }) {
  const { over = 'HTTP', ...rest } = options;
  const client = await connect(over === 'HTTP' ? (await serve(target)).url : target, {
    extensions: [
      {
        id: ID,
        requests: ['com.example/tell'],
        sends: [PUT],
        notices: { added: ADDED },
      },
    ],
    ...rest,
  });
  onTestFinished(() => client.close());
  return client;
}

/** Listens to the notices and to the lists of tools. */
async function listen(client: Awaited<ReturnType<typeof open>>) {
  const changes: ServerChange[] = [];
  const over = new AbortController();
  onTestFinished(() => over.abort());
  await new Promise<void>((resolve, reject) => {
    const filter = { tools: true, notices: { added: true } };
    const listening = client.changes(filter, { signal: over.signal, onReady: () => resolve() });
    (async () => {
      for await (const change of listening) changes.push(change);
    })().catch(reject);
  });
  return changes;
}

describe.each(REVISIONS)('on %s', revision => {
  it('middleware that throws on a notice is reported by its name, and the other notices go on', async () => {
    const { server, reported } = createShelf({});
    server.use({
      name: 'strict',
      send: ({ method }, next) => {
        if (method === ADDED) throw new Error('not this one');
        next();
      },
    });
    const changes = await listen(await open(server, { revision }));
    server.announce(ADDED, { book: 'Emma' });
    await until(() => expect(reported).toEqual([`${ADDED}, middleware "strict": not this one`]));
    server.listChanged('tools');
    await until(() => expect(changes).toEqual([{ kind: 'tools' }]));
  });

  it('middleware that throws on a notification of a request does not fail the request', async () => {
    const { server, reported } = createShelf({});
    server.use({
      name: 'strict',
      send: () => {
        throw new Error('not this one');
      },
    });
    const client = await open(server, { revision });
    expect(await client.request('com.example/tell')).toMatchObject({ told: true });
    expect(reported).toEqual([`${TOLD}, middleware "strict": not this one`]);
  });

  const asynchronous: [string, NotificationMiddleware, string][] = [
    [
      'calls next after it has awaited something',
      async (_, next) => {
        await undefined;
        next();
      },
      'middleware "slow" called next too late, or twice',
    ],
    [
      'rejects',
      async () => {
        await undefined;
        throw new Error('gave up');
      },
      'gave up',
    ],
  ];
  it.each(asynchronous)('asynchronous middleware that %s drops the notification', async (_, run, problem) => {
    const { server, reported, put } = createShelf({});
    const client = await open(server, { revision });
    const only: NotificationMiddleware = (message, next) =>
      message.method === PUT || message.method === TOLD ? run(message, next) : next();
    server.use({ name: 'slow', receive: only, send: only });
    await client.notify(PUT, {});
    await client.request('com.example/tell');
    const where = [PUT, TOLD].map(method => `${method}, middleware "slow": ${problem}`);
    await until(() => expect(reported.sort()).toEqual(where));
    expect(put).toEqual([]);
  });
});

it.each([
  [
    'throws',
    () => {
      throw new Error('no idea');
    },
    'no idea',
  ],
  [
    'is asynchronous',
    async () => {
      throw new Error('no idea');
    },
    'must not be asynchronous',
  ],
])('`wants` of a notice that %s is reported, and leaves the notice out', async (_, wants, problem) => {
  const { server, reported } = createShelf({ wants: wants as unknown as () => boolean });
  const changes = await listen(await open(server, { revision: '2026-07-28' }));
  server.announce(ADDED);
  await until(() => expect(reported.join()).toContain(problem));
  expect(reported.join()).toContain('`wants` of the filter "added"');
  server.listChanged('tools');
  await until(() => expect(changes).toEqual([{ kind: 'tools' }]));
});

describe.each(['memory', 'HTTP'] as const)('over %s', over => {
  it.each(REVISIONS)(
    '`needsClient` that throws refuses the request on %s, and is reported',
    async revision => {
      const needsClient = () => {
        throw new Error('no idea');
      };
      const { server, reported } = createShelf({ needsClient });
      const client = await open(server, { revision, over, extensions: [] });
      await expect(client.request('com.example/tell')).rejects.toMatchObject({ code: -32601 });
      expect(reported[0]).toBe(`\`needsClient\` of the extension "${ID}": no idea`);
      expect(await client.tools()).toHaveLength(1);
    },
  );
});
