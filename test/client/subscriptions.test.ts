import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ChangeFilter, Client } from '../../src/client/index.js';
import { InvalidAnswer, NotSupported } from '../../src/client/index.js';
import { listen } from '../../src/node/index.js';
import { Server } from '../../src/server/index.js';
import { pair } from '../client-faults/connected.js';
import { type Ask, DISCOVERY, legacy, MODERN, modern, welcome } from '../client-faults/raw-server.js';
import { type Message, ScriptedServer, WAYS } from './scripted-server.js';
import { open } from './servers.js';

const META = 'io.modelcontextprotocol/subscriptionId';
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';
const LISTENABLE = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
};
const URI = 'file:///dir';

afterEach(() => vi.restoreAllMocks());

/** Listens, and resolves when the subscription is active. */
async function follow(client: Client, filter: ChangeFilter) {
  const controller = new AbortController();
  let onReady: (active: ChangeFilter) => void = () => {};
  const ready = new Promise<ChangeFilter>(resolve => {
    onReady = resolve;
  });
  const changes = client
    .changes(filter, { onReady: active => onReady(active), signal: controller.signal })
    [Symbol.asyncIterator]();
  const next = changes.next();
  const active = await Promise.race([ready, next.then(() => expect.fail('a change before it is active'))]);
  onTestFinished(() => controller.abort());
  return { changes, next, active };
}

function failureOf(client: Client, filter: ChangeFilter): Promise<unknown> {
  return client
    .changes(filter)
    [Symbol.asyncIterator]()
    .next()
    .catch((error: unknown) => error);
}

/** A modern server that acknowledges only this part of a filter. */
function agreesTo(notifications: object) {
  const acknowledge = (ask: Ask) =>
    ask.stream().event({
      jsonrpc: '2.0',
      method: ACKNOWLEDGED,
      params: { notifications, _meta: { [META]: ask.message.id } },
    });
  return modern({
    'server/discover': ask => ask.result({ supportedVersions: [MODERN], capabilities: LISTENABLE }),
    'subscriptions/listen': acknowledge,
  });
}

describe('a subscription of 2026-07-28', () => {
  it('fails if the server acknowledges nothing, and is not tried again', async () => {
    const { client, server } = await pair(agreesTo({}));
    const error = await failureOf(client, { prompts: true });
    expect(error).toBeInstanceOf(NotSupported);
    expect((error as NotSupported).capability).toBe('prompts.listChanged');
    expect(server.of('subscriptions/listen')).toHaveLength(1);
  });

  const silent: [string, (ask: Ask) => unknown][] = [
    ['sends nothing', () => {}],
    ['sends only headers', ask => ask.stream()],
    [
      'acknowledges another subscription',
      ask =>
        ask.stream().event({
          jsonrpc: '2.0',
          method: ACKNOWLEDGED,
          params: { notifications: { toolsListChanged: true }, _meta: { [META]: 'foreign' } },
        }),
    ],
  ];

  it.each(silent)('fails when its time is over if the server %s', async (_, answer) => {
    const discover = (ask: Ask) => ask.result({ supportedVersions: [MODERN], capabilities: LISTENABLE });
    const serve = modern({ 'server/discover': discover, 'subscriptions/listen': answer });
    const { client, server } = await pair(serve, { timeoutMs: 1_000 });
    expect(await failureOf(client, { tools: true })).toMatchObject({ kind: 'timeout' });
    await server.of('subscriptions/listen')[0]!.gone;
  });

  it.each(silent)('that worked is opened again and again if the server %s', async (_, answer) => {
    let count = 0;
    const acknowledging = agreesTo({ toolsListChanged: true });
    const serve = modern({
      '*': ask => {
        if (ask.method !== 'subscriptions/listen' || ++count === 1 || count === 3) acknowledging(ask);
        else answer(ask);
        if (ask.method === 'subscriptions/listen' && count === 1) ask.response.end();
      },
    });
    const { client } = await pair(serve, { timeoutMs: 1_000 });
    const { next } = await follow(client, { tools: true });
    expect((await next).value).toEqual({ kind: 'tools' });
    expect(count).toBe(3);
  });

  it('goes on for longer than the time for its acknowledgement', async () => {
    let opened: Ask | undefined;
    const acknowledging = agreesTo({ toolsListChanged: true });
    const serve = modern({
      'tools/call': () => {},
      '*': ask => {
        if (ask.method === 'subscriptions/listen') opened = ask;
        acknowledging(ask);
      },
    });
    const { client, server } = await pair(serve, { timeoutMs: 50 });
    const { next } = await follow(client, { tools: true });
    await expect(client.callTool('slow', {}, { timeoutMs: 150 })).rejects.toMatchObject({ kind: 'timeout' });
    opened!.event({
      jsonrpc: '2.0',
      method: 'notifications/tools/list_changed',
      params: { _meta: { [META]: opened!.message.id } },
    });
    expect((await next).value).toEqual({ kind: 'tools' });
    expect(server.of('subscriptions/listen')).toHaveLength(1);
  });

  it('says what the server left out', async () => {
    const warnings: string[] = [];
    const filter = { toolsListChanged: true, resourceSubscriptions: ['menu://today'] };
    const { client } = await pair(agreesTo(filter), { onWarning: message => warnings.push(message) });
    const { active } = await follow(client, {
      tools: true,
      prompts: true,
      resources: ['menu://today', 'menu://tomorrow'],
    });
    expect(active).toEqual({ tools: true, resources: ['menu://today'] });
    expect(warnings).toEqual(['the server does not report changes of the list of prompts, menu://tomorrow']);
  });

  it('asks only for what the server declared', async () => {
    const server = new ScriptedServer({ revision: MODERN, capabilities: { tools: { listChanged: true } } });
    const client = await server.connect('over HTTP');
    await follow(client, { tools: true, prompts: true });
    const request = await server.next(({ method }) => method === 'subscriptions/listen');
    expect(request.params.notifications).toEqual({ toolsListChanged: true });
  });

  it('fails if the server does not know the request', async () => {
    const { client } = await pair(
      modern({ 'server/discover': ask => ask.result({ ...DISCOVERY, capabilities: LISTENABLE }) }),
    );
    expect(await failureOf(client, { tools: true })).toBeInstanceOf(NotSupported);
  });

  it('fails if the server ends it at once each time', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const { client, server } = await pair(
      modern({
        'server/discover': ask => ask.result({ supportedVersions: [MODERN], capabilities: LISTENABLE }),
        'subscriptions/listen': ask => {
          const { id, params } = ask.message;
          const _meta = { [META]: id };
          ask.stream().event({ jsonrpc: '2.0', method: ACKNOWLEDGED, params: { ...params, _meta } });
          ask.event(ask.resultMessage({ resultType: 'complete', _meta })).response.end();
        },
      }),
    );
    const { changes, next } = await follow(client, { tools: true });
    const heard: unknown[] = [];
    const error = await (async () => {
      let { value, done } = await next;
      while (!done) {
        heard.push(value);
        ({ value, done } = await changes.next());
      }
    })().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(InvalidAnswer);
    expect(server.of('subscriptions/listen')).toHaveLength(5);
    expect(heard.length).toBeLessThan(5);
  });

  it('on a pipe that the server cancels is opened again, and everything counts as changed', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const server = new ScriptedServer({ revision: MODERN, capabilities: LISTENABLE });
    const client = await server.connect('on a pipe');
    const { next } = await follow(client, { tools: true });
    const isListen = ({ method }: Message) => method === 'subscriptions/listen';
    const { id } = await server.next(isListen);
    server.tell({ method: 'notifications/cancelled', params: { requestId: id, reason: 'shutting down' } });
    expect(await next).toEqual({ done: false, value: { kind: 'tools' } });
    expect(server.messages.filter(isListen)).toHaveLength(2);
    expect(server.methods).not.toContain('notifications/cancelled');
  });

  it('passes on notifications of extensions that come with it', async () => {
    const heard: string[] = [];
    const server = new ScriptedServer({ revision: MODERN, capabilities: LISTENABLE });
    const client = await server.connect('on a pipe', { onNotification: method => heard.push(method) });
    await follow(client, { tools: true });
    const { id } = await server.next(({ method }) => method === 'subscriptions/listen');
    server.tell({ method: 'notifications/menus/new', params: { _meta: { [META]: id } } });
    expect(heard).toEqual(['notifications/menus/new']);
  });
});

describe.each(['2025-11-25', MODERN])('a subscription of %s', revision => {
  it.each(WAYS)('reports updates of parts of a resource, %s', async way => {
    const server = new ScriptedServer({ revision, capabilities: LISTENABLE });
    const client = await server.connect(way);
    const { next } = await follow(client, { resources: [URI] });
    const listening = server.messages.find(({ method }) => method === 'subscriptions/listen');
    const _meta = listening ? { _meta: { [META]: listening.id } } : {};
    const update = (uri: string) =>
      server.tell({ method: 'notifications/resources/updated', params: { uri, ..._meta } });
    update('file:///directory');
    update('file:///dir/a.txt');
    expect(await next).toEqual({ done: false, value: { kind: 'resource', uri: 'file:///dir/a.txt' } });
  });

  it('ends with the connection if that cannot be opened again', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const server = new ScriptedServer({ revision, capabilities: LISTENABLE });
    const client = await server.connect('on a pipe');
    const { next } = await follow(client, { tools: true });
    server.breakOff(new Error('gone'));
    await expect(next).rejects.toThrow('gone');
  });

  it('needs something to listen to', async () => {
    const server = new ScriptedServer({ revision, capabilities: LISTENABLE });
    const client = await server.connect('on a pipe');
    await expect(failureOf(client, { resources: [] })).resolves.toMatchObject({ kind: 'usage' });
  });
});

describe('a subscription of a handshake revision', () => {
  it('of a resource that the server refuses is told, and the others go on', async () => {
    const { client } = await pair(
      legacy({
        initialize: ask => welcome(ask, 's-1', LISTENABLE),
        'resources/subscribe': ask =>
          ask.message.params.uri === URI ? ask.result({}) : ask.error(-32002, 'not found'),
        'resources/unsubscribe': ask => ask.result({}),
      }),
    );
    const { active } = await follow(client, { resources: [URI, 'file:///nowhere'] });
    expect(active).toEqual({ resources: [URI] });
    await expect(failureOf(client, { resources: ['file:///nowhere'] })).resolves.toMatchObject({
      code: -32002,
    });
  });

  it.each([true, false])(
    'goes on after a restart of the server, and everything counts as changed (same keys: %s)',
    async sameKeys => {
      const keys = ['k'.repeat(32)];
      const bistro = () => {
        const server = new Server({ name: 'bistro', version: '1.0.0' });
        server.tool('greet', {}, () => 'hello');
        server.resource('menu://today', {}, () => 'soup');
        return server;
      };
      const first = await listen(bistro(), { port: 0, keys });
      const client = await open(first.url, { revision: '2025-11-25', onWarning: () => {} });
      const { next, changes } = await follow(client, { tools: true, resources: ['menu://today'] });
      await first.close(0);
      const server = bistro();
      const second = await listen(server, { port: first.port, keys: sameKeys ? keys : ['x'.repeat(32)] });
      const heard = [(await next).value, (await changes.next()).value];
      expect(heard).toEqual([{ kind: 'tools' }, { kind: 'resource', uri: 'menu://today' }]);
      const update = changes.next();
      server.resourceChanged('menu://today');
      expect(await update).toEqual({ done: false, value: { kind: 'resource', uri: 'menu://today' } });
      onTestFinished(() => second.close(0));
    },
  );

  it('reports everything as changed also to the cache', async () => {
    let stream: Ask | undefined;
    const { client, server } = await pair(
      legacy({
        initialize: ask => welcome(ask, 's-1', LISTENABLE),
        GET: ask => {
          stream = ask.stream();
        },
        'tools/list': ask => ask.result({ tools: [], ttlMs: 60_000, cacheScope: 'private' }),
      }),
    );
    vi.spyOn(Math, 'random').mockReturnValue(0);
    const { next } = await follow(client, { tools: true });
    await client.tools();
    await client.tools();
    expect(server.of('tools/list')).toHaveLength(1);
    stream!.response.destroy();
    expect(await next).toEqual({ done: false, value: { kind: 'tools' } });
    await client.tools();
    expect(server.of('tools/list')).toHaveLength(2);
  });
});
