import { createParser } from 'eventsource-parser';
import { META } from '../../src/protocol/meta.js';

export interface Message {
  id?: string | number;
  method?: string;
  params?: Record<string, any>;
  result?: Record<string, any>;
  error?: { code: number; message: string; data?: any };
}

/** A stream of server-sent events, read as they come. */
export class Events {
  readonly response: Response;
  lastId: string | undefined;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  readonly #messages: Message[] = [];
  readonly #parser = createParser({
    onEvent: ({ id, data }) => {
      this.lastId = id ?? this.lastId;
      if (data !== '') this.#messages.push(JSON.parse(data));
    },
  });

  constructor(response: Response) {
    this.response = response;
    this.#reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader();
  }

  /** The next message; undefined at the end. */
  async next(): Promise<Message | undefined> {
    while (this.#messages.length === 0) {
      const { done, value } = await this.#reader.read();
      if (done) return undefined;
      this.#parser.feed(this.#decoder.decode(value, { stream: true }));
    }
    return this.#messages.shift();
  }

  /** The next message of a method; others are passed over. */
  async nextOf(method: string): Promise<Message> {
    for (;;) {
      const message = await this.next();
      if (!message) throw new Error(`the stream ended before ${method}`);
      if (message.method === method) return message;
    }
  }

  /** Reads on until a message of a method, and returns all up to it. */
  async until(isLast: (message: Message) => boolean): Promise<Message[]> {
    const messages: Message[] = [];
    for (;;) {
      const message = await this.next();
      if (!message) return messages;
      messages.push(message);
      if (isLast(message)) return messages;
    }
  }

  async leave(): Promise<void> {
    await this.#reader.cancel();
  }
}

const ACCEPT = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
const CLIENT = { name: 'test', version: '1.0.0' };

/** A client of a handshake revision that sends each message to the node that a test names. */
export class HandshakeClient {
  readonly #headers: Record<string, string>;
  #lastId = 0;

  private constructor(headers: Record<string, string>) {
    this.#headers = headers;
  }

  get sessionId(): string {
    return this.#headers['mcp-session-id'] as string;
  }

  /** Opens a session at one node, and says at another one that it is initialized. */
  static async open(
    url: string,
    options: {
      revision?: string;
      capabilities?: object;
      headers?: Record<string, string>;
      initializedAt?: string;
    } = {},
  ): Promise<HandshakeClient> {
    const { revision = '2025-11-25', capabilities = {}, headers = {}, initializedAt = url } = options;
    const client = new HandshakeClient({ ...ACCEPT, ...headers });
    const params = { protocolVersion: revision, capabilities, clientInfo: CLIENT };
    const response = await client.post(url, { id: 0, method: 'initialize', params });
    await response.text();
    client.#headers['mcp-session-id'] = response.headers.get('mcp-session-id') as string;
    client.#headers['mcp-protocol-version'] = revision;
    await client.post(initializedAt, { method: 'notifications/initialized' });
    return client;
  }

  post(url: string, message: object, signal?: AbortSignal): Promise<Response> {
    const body = JSON.stringify(
      Array.isArray(message)
        ? message.map(each => ({ jsonrpc: '2.0', ...each }))
        : { jsonrpc: '2.0', ...message },
    );
    return fetch(url, { method: 'POST', headers: this.#headers, body, ...(signal && { signal }) });
  }

  /** Sends a request and returns its events; a response without a stream is one event. */
  async request(
    url: string,
    method: string,
    params: object = {},
    id: number | string = ++this.#lastId,
  ): Promise<Events> {
    const response = await this.post(url, { id, method, params });
    if (response.headers.get('content-type')?.startsWith('text/event-stream')) return new Events(response);
    const text = await response.text();
    return new Events(
      new Response(`data: ${text}\n\n`, { status: response.status, headers: response.headers }),
    );
  }

  /** Sends a request and returns its response. */
  async call(url: string, method: string, params: object = {}): Promise<Message> {
    const events = await this.request(url, method, params);
    const messages = await events.until(({ result, error }) => result !== undefined || error !== undefined);
    return messages.at(-1) as Message;
  }

  async text(url: string, tool: string, args: object = {}): Promise<string> {
    const { result, error } = await this.call(url, 'tools/call', { name: tool, arguments: args });
    if (error) throw new Error(error.message);
    return result?.content[0].text;
  }

  async get(url: string, lastEventId?: string): Promise<Events> {
    const headers = { ...this.#headers, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) };
    return new Events(await fetch(url, { headers }));
  }

  delete(url: string): Promise<Response> {
    return fetch(url, { method: 'DELETE', headers: this.#headers });
  }
}

/** Opens a listen stream of the newest revision, past its acknowledgement. */
export async function listenAt(
  url: string,
  notifications: object,
  options: { headers?: Record<string, string>; capabilities?: object } = {},
): Promise<Events> {
  const method = 'subscriptions/listen';
  const _meta = {
    [META.protocolVersion]: '2026-07-28',
    [META.clientCapabilities]: options.capabilities ?? {},
  };
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...ACCEPT, 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...options.headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { notifications, _meta } }),
  });
  const events = new Events(response);
  await events.nextOf('notifications/subscriptions/acknowledged');
  return events;
}

/** Calls a tool on the newest revision, with what a round before left. */
export async function callModern(url: string, tool: string, more: object = {}): Promise<Message> {
  const _meta = {
    [META.protocolVersion]: '2026-07-28',
    [META.clientCapabilities]: { elicitation: { form: {} } },
  };
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      ...ACCEPT,
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': tool,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: tool, arguments: {}, _meta, ...more },
    }),
  });
  return (await response.json()) as Message;
}
