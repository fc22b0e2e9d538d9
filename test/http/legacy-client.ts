import type { EventStream } from './event-stream.js';
import { type Answer, getStream, postJson, postStream, readAnswer } from './send.js';

export interface LegacyOptions {
  revision?: string;
  capabilities?: object;
  /** Headers of every request, such as `authorization`. */
  headers?: Record<string, string>;
}

/** A raw client of the handshake revisions: it sends what it is told, and reads what comes. */
export class LegacyClient {
  readonly url: string;
  readonly revision: string;
  readonly session: string;
  readonly initialized: Answer;
  readonly #headers: Record<string, string>;
  #lastId = 0;

  /** A client that goes on with a session that another one began, perhaps elsewhere. */
  constructor(url: string, from: { revision: string; session: string; initialized: Answer }, headers = {}) {
    this.url = url;
    this.revision = from.revision;
    this.session = from.session;
    this.initialized = from.initialized;
    this.#headers = headers;
  }

  /** Shakes hands. */
  static async open(url: string, options: LegacyOptions = {}): Promise<LegacyClient> {
    const { revision = '2025-06-18', headers = {} } = options;
    const initialized = await readAnswer(await postJson(url, initializeRequest(options), headers));
    const session = initialized.headers.get('mcp-session-id');
    if (session === null) throw new Error(`no session: ${initialized.status} ${initialized.text}`);
    const client = new LegacyClient(url, { revision, session, initialized }, headers);
    await client.notify('notifications/initialized');
    return client;
  }

  get headers(): Record<string, string> {
    return { 'mcp-protocol-version': this.revision, 'mcp-session-id': this.session, ...this.#headers };
  }

  post(body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return postJson(this.url, body, { ...this.headers, ...headers });
  }

  /** Sends a request and reads everything that comes back. */
  async request(method: string, params?: object, id: string | number = this.nextId()): Promise<Answer> {
    return readAnswer(await this.post({ jsonrpc: '2.0', id, method, ...(params && { params }) }));
  }

  call(name: string, args: object = {}, meta?: object): Promise<Answer> {
    return this.request('tools/call', { name, arguments: args, ...(meta && { _meta: meta }) });
  }

  /** Calls a tool whose answer is expected to be a stream. */
  stream(
    name: string,
    args: object = {},
    options: { id?: string | number; meta?: object } = {},
  ): Promise<EventStream> {
    const { id = this.nextId(), meta } = options;
    const params = { name, arguments: args, ...(meta && { _meta: meta }) };
    return postStream(this.url, { jsonrpc: '2.0', id, method: 'tools/call', params }, this.headers);
  }

  notify(method: string, params?: object): Promise<Response> {
    return this.post({ jsonrpc: '2.0', method, ...(params && { params }) });
  }

  /** Answers what the server asked. */
  answer(id: string | number, result: object): Promise<Response> {
    return this.post({ jsonrpc: '2.0', id, result });
  }

  /** Opens a stream for notices. */
  notices(): Promise<EventStream> {
    return getStream(this.url, this.headers);
  }

  /** Comes back to a stream. */
  resume(lastEventId: string): Promise<EventStream> {
    return getStream(this.url, { ...this.headers, 'last-event-id': lastEventId });
  }

  get(headers: Record<string, string> = {}): Promise<Response> {
    return fetch(this.url, { headers: { accept: 'text/event-stream', ...this.headers, ...headers } });
  }

  delete(): Promise<Response> {
    return fetch(this.url, { method: 'DELETE', headers: this.headers });
  }

  nextId(): number {
    return ++this.#lastId;
  }
}

export function initializeRequest({ revision = '2025-06-18', capabilities = {} }: LegacyOptions = {}) {
  const clientInfo = { name: 'raw', version: '1.0.0' };
  return {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: revision, capabilities, clientInfo },
  };
}
