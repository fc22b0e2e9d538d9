import { PassThrough } from 'node:stream';
import { onTestFinished } from 'vitest';
import { serveStdio } from '../../src/node/server/stdio/index.js';
import { SERVICE } from '../../src/protocol/service.js';
import type { Server } from '../../src/server/index.js';
import { EventStream, type RpcMessage } from '../http/event-stream.js';
import { getStream, postJson, readAnswer } from '../http/send.js';
import { serve } from '../http/serve.js';

/** Sends raw JSON to a server in one revision, and records what the server sends besides answers and acknowledgements. */
export interface Peer {
  /** The methods that the server sent: notifications, and questions in either form. */
  readonly seen: readonly string[];
  request(method: string, params?: object): Promise<RpcMessage>;
  notify(method: string, params?: object): Promise<void>;
  /** Resolves when everything has been read that the server sent so far. */
  settled(): Promise<void>;
}

export interface PeerOptions {
  revision: string;
  /** What the client declares. */
  capabilities: object;
}

export type Door = (server: Server, options: PeerOptions) => Promise<Peer>;

export const MODERN = '2026-07-28';

/** What a willing client answers. */
const ANSWERS: Record<string, object> = {
  ping: {},
  'roots/list': { roots: [] },
  'elicitation/create': { action: 'decline' },
  'sampling/createMessage': { role: 'assistant', content: { type: 'text', text: 'Hi' }, model: 'm' },
};

const EVERYTHING = {
  toolsListChanged: true,
  promptsListChanged: true,
  resourcesListChanged: true,
  resourceSubscriptions: ['note://a'],
};

/** A connection that carries texts in both directions. */
type Connect = (server: Server, receive: (text: string) => void) => Promise<(text: string) => unknown>;

const viaStdio: Connect = async (server, receive) => {
  const [input, output] = [new PassThrough(), new PassThrough()];
  let rest = '';
  output.on('data', chunk => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() as string;
    for (const line of lines) receive(line);
  });
  const running = serveStdio(server, { input, output });
  onTestFinished(() => running.close(0));
  return text => input.write(`${text}\n`);
};

const viaMemory: Connect = async (server, receive) => {
  const pipe = server[SERVICE].openPipe();
  await pipe.start(receive, () => {});
  onTestFinished(async () => {
    await pipe.close();
  });
  return text => pipe.send(text);
};

const viaSse: Connect = async (server, receive) => {
  const { sseUrl } = await serve(server, { sse: true });
  const stream = await getStream(sseUrl as string);
  const endpoint = new URL((await stream.next())?.data as string, sseUrl).href;
  void (async () => {
    for (let event = await stream.next(); event; event = await stream.next()) receive(event.data as string);
  })();
  onTestFinished(() => stream.cut());
  return text => postJson(endpoint, text);
};

export const DOORS: Record<string, Door> = {
  stdio: (server, options) => openPipe(viaStdio, server, options),
  'a pipe in the process': (server, options) => openPipe(viaMemory, server, options),
  'HTTP+SSE': (server, options) => openPipe(viaSse, server, options),
  HTTP: openHttp,
};

/** What begins and ends a subscription. */
const OF_SUBSCRIPTIONS: ReadonlySet<string> = new Set([
  'notifications/subscriptions/acknowledged',
  'notifications/cancelled',
]);

/** The notes that both kinds of peers take. */
class Notes {
  readonly seen: string[] = [];
  readonly #options: PeerOptions;
  #lastId = 0;

  constructor(options: PeerOptions) {
    this.#options = options;
  }

  get isModern(): boolean {
    return this.#options.revision === MODERN;
  }

  get hello(): object {
    const { revision, capabilities } = this.#options;
    return { protocolVersion: revision, capabilities, clientInfo: { name: 'raw', version: '1' } };
  }

  write(method: string, params: object = {}, isRequest = true): RpcMessage {
    const { revision, capabilities } = this.#options;
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': revision,
      'io.modelcontextprotocol/clientCapabilities': capabilities,
      'io.modelcontextprotocol/logLevel': 'debug',
    };
    return {
      jsonrpc: '2.0',
      ...(isRequest && { id: ++this.#lastId }),
      method,
      params: this.isModern ? { ...params, _meta } : params,
    };
  }

  /** Records what the server sent, and returns the answer if it asked. */
  take({ id, method, result }: RpcMessage): object | undefined {
    for (const asked of Object.values(result?.inputRequests ?? {})) this.seen.push((asked as any).method);
    if (method === undefined || OF_SUBSCRIPTIONS.has(method)) return undefined;
    this.seen.push(method);
    return id === undefined ? undefined : { jsonrpc: '2.0', id, result: ANSWERS[method] };
  }
}

async function openPipe(connect: Connect, server: Server, options: PeerOptions): Promise<Peer> {
  const notes = new Notes(options);
  const waiting = new Map<unknown, (message: RpcMessage) => void>();
  const send = await connect(server, text => {
    const message: RpcMessage = JSON.parse(text);
    const answer = notes.take(message);
    if (answer) void send(JSON.stringify(answer));
    if (message.method === undefined) waiting.get(message.id)?.(message);
  });
  const post = (message: RpcMessage) => send(JSON.stringify(message));
  const request = (method: string, params?: object) =>
    new Promise<RpcMessage>(resolve => {
      const message = notes.write(method, params);
      waiting.set(message.id, resolve);
      void post(message);
    });
  const notify = async (method: string, params?: object) => {
    await post(notes.write(method, params, false));
  };
  if (notes.isModern) void request('subscriptions/listen', { notifications: EVERYTHING });
  else {
    await request('initialize', notes.hello);
    await notify('notifications/initialized');
  }
  // Everything shares the connection, so the answer to a request comes after what was sent before it, except for pings.
  const settled = async () => {
    await request(notes.isModern ? 'server/discover' : 'acme/settled');
  };
  await settled();
  return { seen: notes.seen, request, notify, settled };
}

async function openHttp(server: Server, options: PeerOptions): Promise<Peer> {
  const notes = new Notes(options);
  const { url, close } = await serve(server);
  const headers: Record<string, string> = { 'mcp-protocol-version': options.revision };
  const post = (message: RpcMessage) => {
    const { method = '', params } = message;
    const target = params?.name ?? params?.uri;
    return postJson(url, message, {
      ...headers,
      'mcp-method': method,
      ...(target && { 'mcp-name': target }),
    });
  };
  const read = async (stream: EventStream, each?: (message: RpcMessage) => void) => {
    for (let event = await stream.next(); event; event = await stream.next()) {
      if (!event.data) continue;
      const message: RpcMessage = JSON.parse(event.data);
      const answer = notes.take(message);
      if (answer) await postJson(url, answer, headers);
      each?.(message);
    }
  };
  const request = async (method: string, params?: object) => {
    const response = await post(notes.write(method, params));
    if (response.headers.get('content-type') !== 'text/event-stream') {
      const { last } = await readAnswer(response);
      headers['mcp-session-id'] ??= response.headers.get('mcp-session-id') as string;
      notes.take(last);
      return last;
    }
    let last: RpcMessage | undefined;
    await read(eventsOf(response), message => {
      last = message;
    });
    return last as unknown as RpcMessage;
  };
  const notify = async (method: string, params?: object) => {
    await post(notes.write(method, params, false));
  };
  let reading: Promise<void>;
  if (notes.isModern) {
    const message = notes.write('subscriptions/listen', { notifications: EVERYTHING });
    reading = read(eventsOf(await post(message)));
  } else {
    await request('initialize', notes.hello);
    await notify('notifications/initialized');
    reading = read(await getStream(url, headers));
  }
  // The stream ends after what was sent on it before.
  const settled = async () => {
    void close(0);
    await reading;
  };
  return { seen: notes.seen, request, notify, settled };
}

function eventsOf(response: Response): EventStream {
  return new EventStream(response, new AbortController());
}
