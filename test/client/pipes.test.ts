import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { connect } from '../../src/node/client/index.js';
import { pair } from '../client-faults/connected.js';
import { modern } from '../client-faults/raw-server.js';
import { connectPipe, type Message, type RawPipe, text } from './raw-pipe.js';

const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';

describe('what a client writes to a pipe', () => {
  // covers: 2026-07-28/basic/notification-has-no-id, 2026-07-28/stdio/no-newline-in-a-message
  // covers: 2026-07-28/stdio/stdin-has-only-messages
  it('is requests and notifications, each on one line, whatever is in them', async () => {
    const { client, pipe } = await connectPipe((message, self) => {
      if (message.params?.name === 'echo') self.say(text(message, 'done'));
    });
    await client.callTool('echo', { lines: 'a\nb\r\nc\u2028d', key: { '\n': '\r' } });
    await client.callTool('silent', {}, { timeoutMs: 20 }).catch(() => {});
    await client.callTool('silent', {}, { signal: AbortSignal.abort(new Error('a\nb')) }).catch(() => {});
    expect(pipe.lines.length).toBeGreaterThanOrEqual(4);
    for (const line of pipe.lines) {
      expect(line).not.toMatch(/[\r\n]/);
      const message = JSON.parse(line);
      expect(message).toMatchObject({ jsonrpc: '2.0', method: expect.any(String) });
      expect(message).not.toHaveProperty('result');
      expect(message).not.toHaveProperty('error');
      expect('id' in message).toBe(!message.method.startsWith('notifications/'));
    }
  });

  // covers: 2026-07-28/cancellation/only-own-open-requests
  it('cancels a request only while it is open, and once', async () => {
    const { client, pipe } = await connectPipe((message, self) => {
      if (message.params?.name === 'quick') self.say(text(message, 'done'));
    });
    const done = new AbortController();
    await client.callTool('quick', {}, { signal: done.signal });
    done.abort();
    const early = AbortSignal.abort();
    await client.callTool('quick', {}, { signal: early }).catch(() => {});
    const open = new AbortController();
    const given = client.callTool('slow', {}, { signal: open.signal });
    await expect.poll(() => pipe.messages.at(-1).params.name).toBe('slow');
    open.abort();
    open.abort();
    await given.catch(() => {});
    await client.callTool('quick');
    const slow = pipe.messages.find(({ params }: Message) => params.name === 'slow');
    const cancelled = pipe.messages.filter(({ method }: Message) => method === 'notifications/cancelled');
    expect(cancelled.map(({ params }: Message) => params.requestId)).toEqual([slow.id]);
  });
});

describe('a modern server that sends requests', () => {
  const questions = (send: (message: object) => void) => {
    send({ jsonrpc: '2.0', id: 'p', method: 'ping' });
    send({ jsonrpc: '2.0', id: 'r', method: 'roots/list' });
    send({
      jsonrpc: '2.0',
      id: 's',
      method: 'sampling/createMessage',
      params: { messages: [], maxTokens: 1 },
    });
    send({ jsonrpc: '2.0', id: 'n', method: 'nobody/knows' });
  };

  // covers: 2026-07-28/stdio/client-sends-no-responses
  it('over a pipe gets no responses', async () => {
    const { client, pipe } = await connectPipe(
      (message, self) => {
        if (message.method !== 'tools/call') return;
        questions(question => self.say(question));
        self.say(text(message, 'done'));
      },
      { roots: [] },
    );
    await client.callTool('ask');
    await client.callTool('ask');
    expect(pipe.messages.filter(({ method }: Message) => method === undefined)).toEqual([]);
  });

  // covers: 2026-07-28/streamable-http/client-sends-no-responses
  it('over HTTP gets no responses', async () => {
    const { client, server } = await pair(
      modern({
        'tools/call': ask => {
          ask.stream();
          questions(question => ask.event(question));
          ask.event(ask.textMessage('done'));
        },
      }),
      { roots: [] },
    );
    await client.callTool('ask');
    await client.callTool('ask');
    expect(server.asks.filter(({ message }) => message.method === undefined)).toEqual([]);
    expect(server.of('tools/call')).toHaveLength(2);
  });
});

describe('subscriptions that share a pipe', () => {
  // covers: 2026-07-28/stdio/notifications-are-correlated
  // covers: 2026-07-28/subscriptions/notifications-are-correlated
  it('hear what is meant for each of them, by its id', async () => {
    const listening: (string | number)[] = [];
    const { client, pipe } = await connectPipe((message, self) => {
      if (message.method !== 'subscriptions/listen') return;
      listening.push(message.id);
      const { notifications } = message.params;
      const params = { notifications, _meta: { [SUBSCRIPTION]: message.id } };
      self.say({ method: 'notifications/subscriptions/acknowledged', params });
    });
    const notify = (to: RawPipe, id: unknown, uri: string) =>
      to.say({ method: 'notifications/resources/updated', params: { uri, _meta: { [SUBSCRIPTION]: id } } });
    const uris = ['a:1', 'a:2'];
    const ready: Promise<void>[] = [];
    const loops = [1, 2].map(() => {
      let isReady = () => {};
      ready.push(
        new Promise(resolve => {
          isReady = resolve;
        }),
      );
      const changes = client.changes({ resources: uris }, { onReady: isReady })[Symbol.asyncIterator]();
      return { changes, first: changes.next() };
    });
    await Promise.all(ready);
    expect(listening).toHaveLength(2);
    notify(pipe, 'nobody', 'a:1');
    notify(pipe, listening[1], 'a:2');
    notify(pipe, listening[0], 'a:1');
    expect((await loops[1]!.first).value).toEqual({ kind: 'resource', uri: 'a:2' });
    expect((await loops[0]!.first).value).toEqual({ kind: 'resource', uri: 'a:1' });
    await Promise.all(loops.map(({ changes }) => changes.return?.()));
  });
});

const MORTAL = {
  command: process.execPath,
  args: [fileURLToPath(new URL('fixtures/mortal-server.mjs', import.meta.url))],
};

// covers: 2025-11-25/transports/stderr-is-no-error, 2026-07-28/stdio/stderr-is-no-error
it('what a process writes to stderr is no error, whatever it says', async () => {
  const told: string[] = [];
  const problems: unknown[] = [];
  const client = await connect(
    { ...MORTAL, onStderr: text => told.push(text) },
    { onWarning: warning => problems.push(warning), onClose: reason => problems.push(reason) },
  );
  await client.callTool('pid');
  await expect.poll(() => told.join('')).toContain('FATAL');
  await client.callTool('pid');
  await client.close();
  expect(problems).toEqual([]);
});

describe('a subscription', () => {
  const DISCOVERY = {
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: { listChanged: true }, prompts: { listChanged: true } },
  };

  // covers: 2026-07-28/subscriptions/client-checks-the-acknowledgement
  it('goes on with what the server acknowledges, and tells of the rest', async () => {
    const warnings: string[] = [];
    const { client, server } = await pair(
      modern({
        'server/discover': ask => ask.result(DISCOVERY),
        'subscriptions/listen': ask => {
          const _meta = { [SUBSCRIPTION]: ask.message.id };
          const notify = (method: string, params: object) =>
            ask.event({ jsonrpc: '2.0', method: `notifications/${method}`, params: { ...params, _meta } });
          ask.stream();
          notify('subscriptions/acknowledged', { notifications: { toolsListChanged: true } });
          notify('tools/list_changed', {});
        },
      }),
      { onWarning: warning => warnings.push(warning) },
    );
    for await (const change of client.changes({ tools: true, prompts: true })) {
      expect(change).toEqual({ kind: 'tools' });
      break;
    }
    expect(server.of('subscriptions/listen')).toHaveLength(1);
    expect(warnings.join()).toContain('prompts');
  });
});

describe('a process that ends unexpectedly', () => {
  // covers: 2026-07-28/stdio/restart-after-a-crash, 2026-07-28/subscriptions/listen-again-after-a-restart
  it('is started again for the next request, and listened to again', async () => {
    const client = await connect({ ...MORTAL, restart: true });
    try {
      const pid = async () => (await client.callTool('pid')).content[0];
      const first = await pid();
      let isReady = () => {};
      const ready = new Promise<void>(resolve => {
        isReady = resolve;
      });
      const changes = client.changes({ tools: true }, { onReady: isReady })[Symbol.asyncIterator]();
      const heard = changes.next();
      await ready;
      await expect(client.callTool('die')).rejects.toThrow('exited with code 1');
      // Nobody knows what changed meanwhile, so that everything counts as changed.
      expect((await heard).value).toEqual({ kind: 'tools' });
      expect(await pid()).not.toEqual(first);
      const next = changes.next();
      await client.callTool('change');
      expect((await next).value).toEqual({ kind: 'tools' });
      await changes.return?.();
    } finally {
      await client.close();
    }
  });
});
