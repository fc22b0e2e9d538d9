import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { ClientNotificationMiddleware, ConnectOptions, ServerChange } from '../../src/client/index.js';
import { connect } from '../../src/node/client/index.js';
import { extension, method, notice, notification } from '../../src/server/extensions/index.js';
import { type NotificationMiddleware, type QuestionMiddleware, Server } from '../../src/server/index.js';
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
          notifications: { [PUT]: notification(z.looseObject({}), params => void put.push(params)) },
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

  const synchronous: [string, NotificationMiddleware, string][] = [
    [
      'calls next twice',
      (_, next) => {
        next();
        next();
      },
      'middleware "faulty" called next too late, or twice',
    ],
    [
      'passes on parameters that are no object',
      (_, next) => next({ params: [] as never }),
      'middleware "faulty" must pass an object as params to next',
    ],
  ];
  it.each(synchronous)('middleware that %s drops the notification', async (_, run, problem) => {
    const { server, reported, put } = createShelf({});
    const client = await open(server, { revision });
    server.use({ name: 'faulty', receive: (one, next) => (one.method === PUT ? run(one, next) : next()) });
    await client.notify(PUT, {});
    await until(() => expect(reported).toEqual([`${PUT}, middleware "faulty": ${problem}`]));
    expect(put).toEqual([]);
  });

  const questions: [string, QuestionMiddleware, string][] = [
    ['throws', () => raise('no questions'), 'no questions'],
    [
      'returns nothing',
      async () => undefined as never,
      'middleware "faulty" returned nothing for elicitation/create, so the result is not an object: ' +
        'call next, or answer with a result',
    ],
    [
      'changes it in place',
      ({ question }, next) => {
        Object.assign(question.params ?? {}, { message: 'Which hat?' });
        return next();
      },
      'middleware "faulty" changed a message of elicitation/create in place: ' +
        'pass changes to next, and return a copy of a result',
    ],
    [
      'passes on one that is no object',
      (_, next) => next({ question: 'Which hat?' as never }),
      'middleware "faulty" must pass an object as question to next',
    ],
    [
      'calls next twice',
      async (_, next) => {
        next().catch(() => {});
        return next();
      },
      'middleware "faulty" called next twice for elicitation/create',
    ],
  ];
  it.each(questions)(
    'middleware around a question that %s fails the call, and is named',
    async (_, run, problem) => {
      const { server, reported } = createShelf({});
      server.tool('ask', {}, async (_args, ctx) => {
        const { action } = await ctx.elicit('Which book?', z.object({ book: z.string() }));
        return action;
      });
      server.use({ name: 'faulty', question: run });
      const client = await open(server, { revision, onElicit: () => ({ action: 'decline' }) });
      expect(await client.callTool('ask')).toMatchObject({
        isError: true,
        content: [{ text: 'tool "ask" failed' }],
      });
      expect(reported).toEqual([`tool "ask": ${problem}`]);
    },
  );

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

describe.each(REVISIONS)('a client on %s', revision => {
  const never = () => new Promise<never>(() => {});

  it.each(['middleware', 'an extension'])('ends a call that %s never passes on', async kind => {
    const { server } = createShelf({});
    const options: ConnectOptions =
      kind === 'middleware'
        ? { middleware: [(request, next) => (request.method === 'tools/call' ? never() : next())] }
        : { extensions: [{ id: ID, calls: { 'tools/call': never } }] };
    const client = await open(server, { revision, ...options });
    await expect(client.callTool('look', {}, { maxTimeoutMs: 20 })).rejects.toMatchObject({
      kind: 'timeout',
      message: 'tools/call was not answered within 20 ms',
    });
    const controller = new AbortController();
    const cancelled = client.callTool('look', {}, { signal: controller.signal });
    controller.abort(new Error('the user left'));
    await expect(cancelled).rejects.toThrow('the user left');
    const held = expect(client.callTool('look')).rejects.toMatchObject({ kind: 'connection' });
    await client.close();
    await held;
  });

  it('lets middleware answer when the time of its request is over', async () => {
    const { server } = createShelf({});
    server.tool('wait', {}, never);
    const kept = { content: [{ type: 'text', text: 'kept' }], resultType: 'complete' };
    const client = await open(server, {
      revision,
      middleware: [(request, next) => (request.params.name === 'wait' ? next().catch(() => kept) : next())],
    });
    expect(await client.callTool('wait', {}, { maxTimeoutMs: 20 })).toMatchObject({ content: kept.content });
  });

  it('gives its caller a result that may be changed, though middleware saw one that may not', async () => {
    const { server } = createShelf({});
    const isFrozen: boolean[] = [];
    const client = await open(server, {
      revision,
      middleware: [
        async (_, next) => {
          const result = await next();
          isFrozen.push(Object.isFrozen(result));
          return result;
        },
      ],
    });
    const { content } = await client.callTool('look');
    content.push({ type: 'text', text: 'Villette' });
    expect(content).toHaveLength(2);
    expect(new Set(isFrozen)).toEqual(new Set([true]));
  });

  it('keeps what the protocol adds to a notification that middleware changed', async () => {
    const { server, put } = createShelf({});
    const seen: unknown[] = [];
    const client = await open(server, {
      revision,
      middleware: [
        {
          name: 'labels',
          send: ({ method, params }, next) => {
            if (method !== PUT) return next();
            seen.push(params);
            next({ params: { shelf: 2 } });
          },
        },
      ],
    });
    await client.notify(PUT, { shelf: 1 });
    await until(() => expect(put).toEqual([{ shelf: 2 }]));
    expect(seen).toEqual([{ shelf: 1 }]);
  });

  const faults: [string, ClientNotificationMiddleware, string][] = [
    ['throws', () => raise('no'), 'no'],
    ['rejects', async () => raise('no'), 'no'],
    [
      'calls next twice',
      (_, next) => {
        next();
        next();
      },
      'middleware "faulty" called next too late, or twice',
    ],
  ];
  it.each(faults)('names middleware that %s on a notification', async (_, run, problem) => {
    const { server } = createShelf({});
    const warnings: string[] = [];
    const client = await open(server, { revision, onWarning: message => warnings.push(message) });
    client.use({
      name: 'faulty',
      receive: (message, next) => (message.method === TOLD ? run(message, next) : next()),
    });
    await client.request('com.example/tell');
    await until(() => expect(warnings).toEqual([`middleware "faulty" failed on ${TOLD}: ${problem}`]));
  });

  it('tells the sender of a notification that middleware refused it', async () => {
    const { server } = createShelf({});
    const warnings: string[] = [];
    const client = await open(server, { revision, onWarning: message => warnings.push(message) });
    let run: ClientNotificationMiddleware = () => raise('refused');
    client.use({ name: 'faulty', send: (message, next) => run(message, next) });
    await expect(client.notify(PUT, {})).rejects.toThrow('refused');
    run = async () => raise('later');
    await client.notify(PUT, {});
    await until(() => expect(warnings).toEqual([`middleware "faulty" failed on ${PUT}: later`]));
  });

  it('names an extension whose call returns nothing', async () => {
    const { server } = createShelf({});
    const calls = { 'tools/call': async () => undefined as never };
    const client = await open(server, { revision, extensions: [{ id: ID, calls }] });
    await expect(client.callTool('look')).rejects.toThrow(
      `calls["tools/call"] of the extension "${ID}" returned no result: return what next resolves to`,
    );
  });
});

function raise(message: string): never {
  throw new Error(message);
}
