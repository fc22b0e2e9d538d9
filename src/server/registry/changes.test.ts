import { createParser } from 'eventsource-parser';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { META } from '../../protocol/meta.js';
import { type FetchHandler, fetchHandler } from '../http/index.js';
import { Server } from '../server.js';
import type { Handle } from './registry.js';

type Message = {
  id?: unknown;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
};

const ALL = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ['menu://today', 'menu://friday'],
};

let server: Server;
let handler: FetchHandler;
let soup: Handle;

beforeEach(() => {
  server = new Server({ name: 'bistro', version: '1.0.0' });
  soup = server.tool('soup', {}, () => 'Soup');
  server.prompt('order', {}, () => 'Soup');
  server.resource('menu://{day}', {}, ({ day }) => day);
  handler = fetchHandler(server, { heartbeatMs: 60_000 });
});

afterEach(() => handler.close(0));

/** Both eras have their own way to be told; from the author's side there is only one. */
describe.each([
  ['a listen stream of the newest revision', listen],
  ['the GET stream of a handshake revision', subscribe],
])('over %s', (_, open) => {
  let stream: Stream;

  beforeEach(async () => {
    await settle();
    stream = await open();
  });

  // covers: 2026-07-28/prompts/changes-are-announced, 2026-07-28/resources/changes-are-announced
  // covers: 2026-07-28/tools/changes-are-announced
  it.each([
    ['tools', 'notifications/tools/list_changed', () => server.tool('pie', {}, () => 'Pie')],
    ['prompts', 'notifications/prompts/list_changed', () => server.prompt('pie', {}, () => 'Pie')],
    ['resources', 'notifications/resources/list_changed', () => server.resource('a://b', {}, () => 'b')],
    ['templates', 'notifications/resources/list_changed', () => server.resource('a://{b}', {}, () => 'b')],
  ])('announces that the list of %s has changed', async (_kind, method, change) => {
    change();
    expect((await stream.next()).method).toBe(method);
    expect(await stream.rest()).toEqual([]);
  });

  it.each([
    ['disabled', () => soup.disable()],
    ['removed', () => soup.remove()],
    ['replaced', () => (soup as ReturnType<Server['tool']>).replace({}, () => 'New')],
  ])('announces that a tool was %s', async (_what, change) => {
    change();
    expect((await stream.next()).method).toBe('notifications/tools/list_changed');
    expect(await stream.rest()).toEqual([]);
  });

  it('says nothing when nothing has changed', async () => {
    soup.enable();
    expect(await stream.rest()).toEqual([]);
  });

  it('merges a burst of changes into one notice of each kind', async () => {
    for (let at = 0; at < 50; at++) {
      server.tool(`tool-${at}`, {}, () => '');
      server.prompt(`prompt-${at}`, {}, () => '');
      server.resourceChanged('menu://today');
    }
    const methods = (await stream.rest()).map(({ method }) => method);
    expect(methods.sort()).toEqual([
      'notifications/prompts/list_changed',
      'notifications/resources/updated',
      'notifications/tools/list_changed',
    ]);
  });

  it('announces the next burst again', async () => {
    server.tool('pie', {}, () => 'Pie');
    expect((await stream.next()).method).toBe('notifications/tools/list_changed');
    server.tool('tea', {}, () => 'Tea');
    expect((await stream.next()).method).toBe('notifications/tools/list_changed');
  });

  it('tells of a resource that was subscribed, each once, and of no other', async () => {
    server.resourceChanged('menu://today');
    server.resourceChanged('menu://monday');
    server.resourceChanged('menu://friday');
    server.resourceChanged('menu://today');
    const uris = (await stream.rest()).map(({ params }) => params?.uri);
    expect(uris).toEqual(['menu://today', 'menu://friday']);
  });

  it('tells of a resource through its handle', async () => {
    const handle = server.resource('menu://today', {}, () => 'Soup');
    const family = server.resource('menu://{+day}', {}, () => 'Soup');
    await stream.next();
    handle.changed();
    expect((await stream.next()).params?.uri).toBe('menu://today');
    family.changed('menu://friday');
    expect((await stream.next()).params?.uri).toBe('menu://friday');
  });
});

describe('a listen stream', () => {
  // covers: 2026-07-28/subscriptions/acknowledged-first
  it('begins with what it will deliver, under the id of the request as it was', async () => {
    for (const id of [7, '7', 'listen']) {
      const stream = await listen({ toolsListChanged: true }, id, false);
      const acknowledged = await stream.next();
      expect(acknowledged).toMatchObject({
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications: { toolsListChanged: true }, _meta: { [META.subscriptionId]: id } },
      });
      expect(acknowledged.params?.notifications).toEqual({ toolsListChanged: true });
      await stream.cancel();
    }
  });

  // covers: 2026-07-28/basic/notifications-have-a-subscription-id
  it('stamps every notice', async () => {
    const stream = await listen(ALL, 7);
    server.tool('pie', {}, () => 'Pie');
    server.resourceChanged('menu://today');
    for (const notice of [await stream.next(), await stream.next()]) {
      expect(notice.params?._meta).toEqual({ [META.subscriptionId]: 7 });
    }
  });

  // covers: 2026-07-28/subscriptions/only-what-was-requested
  it('delivers only what was asked for', async () => {
    const stream = await listen({ promptsListChanged: true });
    server.tool('pie', {}, () => 'Pie');
    server.resourceChanged('menu://today');
    server.prompt('pie', {}, () => 'Pie');
    expect((await stream.rest()).map(({ method }) => method)).toEqual(['notifications/prompts/list_changed']);
  });

  it('leaves out what the server does not have', async () => {
    const bare = new Server({ name: 'bare', version: '1' });
    bare.tool('soup', {}, () => 'Soup');
    handler = fetchHandler(bare);
    const stream = await listen(ALL, 1, false);
    expect((await stream.next()).params?.notifications).toEqual({ toolsListChanged: true });
  });

  it('ends with a result under its id when the server closes', async () => {
    const stream = await listen(ALL, 7);
    await handler.close(1000);
    const end = await stream.next();
    expect(end.id).toBe(7);
    expect(end.result).toMatchObject({ resultType: 'complete', _meta: { [META.subscriptionId]: 7 } });
    expect(await stream.isOver()).toBe(true);
  });

  it('is let go of when the client is', async () => {
    const stream = await listen(ALL);
    await stream.cancel();
    server.tool('pie', {}, () => 'Pie');
    await settle();
    // A stream that was still there would be waited for.
    const start = performance.now();
    await handler.close(100_000);
    expect(performance.now() - start).toBeLessThan(50_000);
  });
});

describe('the stream of a handshake revision', () => {
  it('tells nothing of a resource that is no longer subscribed', async () => {
    const stream = await subscribe();
    await stream.request('resources/unsubscribe', { uri: 'menu://today' });
    server.resourceChanged('menu://today');
    server.resourceChanged('menu://friday');
    expect((await stream.rest()).map(({ params }) => params?.uri)).toEqual(['menu://friday']);
  });
});

/** A stream of server-sent events, read as they come. */
class Stream {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #messages: Message[] = [];
  readonly #parser = createParser({
    onEvent: event => event.data !== '' && this.#messages.push(JSON.parse(event.data)),
  });
  #reading: Promise<boolean> | undefined;
  readonly request: (method: string, params: object) => Promise<Response>;

  constructor(response: Response, request: (method: string, params: object) => Promise<Response>) {
    this.#reader = (response.body as ReadableStream<Uint8Array>).getReader();
    this.request = request;
  }

  async next(): Promise<Message> {
    while (this.#messages.length === 0) {
      if (!(await this.#read())) throw new Error('the stream is over');
    }
    return this.#messages.shift() as Message;
  }

  /** What comes until nothing has come for longer than changes are collected. */
  async rest(): Promise<Message[]> {
    const messages: Message[] = [];
    for (;;) {
      const quiet = settle().then(() => 'quiet' as const);
      if (this.#messages.length === 0 && (await Promise.race([this.#read(), quiet])) === 'quiet')
        return messages;
      messages.push(...this.#messages.splice(0));
    }
  }

  async isOver(): Promise<boolean> {
    return !(await this.#read());
  }

  cancel(): Promise<void> {
    return this.#reader.cancel();
  }

  /** Reads a chunk, together with others who wait for it; false at the end. */
  #read(): Promise<boolean> {
    this.#reading ??= this.#reader.read().then(({ done, value }) => {
      this.#reading = undefined;
      if (value) this.#parser.feed(new TextDecoder().decode(value));
      return !done;
    });
    return this.#reading;
  }
}

function send(method: string, headers: Record<string, string>, body?: object): Promise<Response> {
  return handler(
    new Request('http://localhost/mcp', {
      method,
      headers: { accept: 'application/json, text/event-stream', ...headers },
      ...(body && { body: JSON.stringify({ jsonrpc: '2.0', ...body }) }),
    }),
  );
}

async function listen(notifications: object = ALL, id: string | number = 1, skip = true): Promise<Stream> {
  const method = 'subscriptions/listen';
  const _meta = { [META.protocolVersion]: '2026-07-28', [META.clientCapabilities]: {} };
  const headers = {
    'content-type': 'application/json',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
  };
  const response = await send('POST', headers, { id, method, params: { notifications, _meta } });
  const stream = new Stream(response, () => Promise.reject(new Error('a listen stream takes no requests')));
  if (skip) await stream.next();
  return stream;
}

async function subscribe(): Promise<Stream> {
  const headers: Record<string, string> = { 'content-type': 'application/json' };
  const initialized = await send('POST', headers, {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  });
  headers['mcp-session-id'] = initialized.headers.get('mcp-session-id') as string;
  headers['mcp-protocol-version'] = '2025-06-18';
  const request = (method: string, params: object) => send('POST', headers, { id: 2, method, params });
  for (const uri of ALL.resourceSubscriptions) await request('resources/subscribe', { uri });
  return new Stream(await send('GET', headers), request);
}

/** Longer than changes are collected. */
function settle(): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, 30));
}
