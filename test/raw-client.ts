import type { JsonObject } from '../src/base/json.js';
import { EventParser, type ServerEvent } from '../src/client/http/event-parser.js';
import { type Message, type Response as RpcResponse, readMessage } from '../src/jsonrpc/message.js';
import { targetOf } from '../src/protocol/call.js';
import type { ClientCapabilities } from '../src/protocol/capabilities.js';
import { McpError } from '../src/protocol/errors.js';
import { encodeHeaderValue, HEADER } from '../src/protocol/headers.js';
import { META } from '../src/protocol/meta.js';
import type { Servable } from '../src/protocol/service.js';
import { findRevision, REVISIONS, type Revision } from '../src/revisions/index.js';
import { fetchHandler } from '../src/server/http/fetch.js';
import type { HandlerOptions } from '../src/server/http/handler.js';
import { freshKeys } from './keys.js';

export interface RawClientOptions extends HandlerOptions {
  /** The revision to speak; the newest by default. */
  revision?: string;
  capabilities?: ClientCapabilities;
  /** Answers to what the server asks, by method, on the revisions where a server can ask. */
  answers?: Record<string, (params: JsonObject) => object | Promise<object>>;
  /** Headers of every request, such as `authorization`. */
  headers?: Record<string, string>;
}

/**
 * Sends requests as they are given and shows results as they come, which the client of the SDK does not: rounds are
 * not answered, results not checked, nothing is kept.
 */
export interface RawClient {
  readonly revision: string;
  /** Every notification received so far. */
  readonly notifications: readonly { method: string; params: JsonObject }[];
  /** Sends a request and returns its result; rejects with `McpError` if the server answers with one. */
  request(method: string, params?: JsonObject): Promise<JsonObject>;
  notify(method: string, params?: JsonObject): Promise<void>;
  close(): Promise<void>;
}

const URL = 'http://localhost/mcp';
const CLIENT_INFO = { name: 'tenon-test-client', version: '1.0.0' };

/** Connects a test to a server in the same process, in any revision, without a socket. */
export async function connectRaw(server: Servable, options: RawClientOptions = {}): Promise<RawClient> {
  const revision = options.revision === undefined ? REVISIONS[0] : findRevision(options.revision);
  if (!revision) throw new Error(`unknown revision ${options.revision}`);
  const { revision: _, capabilities, answers, headers, ...handling } = options;
  const handler = fetchHandler(server, { keys: freshKeys(), ...handling });
  const wire = new Wire(handler, revision, options);
  if (revision.era === 'legacy') await wire.initialize();
  return {
    revision: revision.name,
    notifications: wire.notifications,
    request: (method, params) => wire.request(method, params),
    notify: async (method, params) => {
      await wire.post({ jsonrpc: '2.0', method, ...(params && { params }) });
    },
    close: () => handler.close(),
  };
}

class Wire {
  readonly notifications: { method: string; params: JsonObject }[] = [];
  readonly #handler: (request: Request) => Promise<Response>;
  readonly #revision: Revision;
  readonly #options: RawClientOptions;
  #session: string | undefined;
  #lastId = 0;

  constructor(
    handler: (request: Request) => Promise<Response>,
    revision: Revision,
    options: RawClientOptions,
  ) {
    this.#handler = handler;
    this.#revision = revision;
    this.#options = options;
  }

  async initialize(): Promise<void> {
    await this.request('initialize', {
      protocolVersion: this.#revision.name,
      capabilities: this.#options.capabilities ?? {},
      clientInfo: CLIENT_INFO,
    });
    await this.post({ jsonrpc: '2.0', method: 'notifications/initialized' });
  }

  async request(method: string, params: JsonObject = {}): Promise<JsonObject> {
    const id = ++this.#lastId;
    const sent = this.#revision.era === 'legacy' ? params : this.#withEnvelope(params);
    const response = await this.post({ jsonrpc: '2.0', id, method, params: sent });
    this.#session ??= response.headers.get(HEADER.sessionId) ?? undefined;
    const answer = await this.#read(response, id);
    if (!answer) throw new Error(`${method} was not answered (HTTP ${response.status})`);
    if ('result' in answer.outcome) return answer.outcome.result;
    const { code, message, data } = answer.outcome.error;
    throw new McpError(code, message, data);
  }

  async post(message: JsonObject & { method?: string; params?: JsonObject }): Promise<Response> {
    const { method, params = {} } = message;
    const target = method && targetOf(method, params);
    return this.#handler(
      new Request(URL, {
        method: 'POST',
        body: JSON.stringify(message),
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...(method !== 'initialize' && { [HEADER.protocolVersion]: this.#revision.name }),
          ...(method && { [HEADER.method]: method }),
          ...(target !== undefined && { [HEADER.name]: encodeHeaderValue(target) }),
          ...(this.#session !== undefined && { [HEADER.sessionId]: this.#session }),
          ...this.#options.headers,
        },
      }),
    );
  }

  /** Reads a response to its end, and answers what the server asks meanwhile. */
  async #read(response: Response, id: number): Promise<RpcResponse | undefined> {
    let answer: RpcResponse | undefined;
    const take = (text: string) => {
      const message = readMessage(JSON.parse(text));
      if (message.kind === 'malformed') throw message.error;
      if (message.kind === 'response' && message.id === id) answer = message;
      else this.#receive(message);
    };
    if (response.headers.get('content-type') !== 'text/event-stream') {
      const text = await response.text();
      if (text !== '') take(text);
      return answer;
    }
    const takeEvent = ({ data }: ServerEvent) => {
      if (data !== '') take(data);
    };
    const parser = new EventParser(takeEvent, () => {});
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) parser.feed(decoder.decode(chunk, { stream: true }));
    return answer;
  }

  #receive(message: Message): void {
    if (message.kind === 'notification') this.notifications.push(message);
    if (message.kind === 'request') void this.#answer(message.id, message.method, message.params);
  }

  async #answer(id: string | number, method: string, params: JsonObject): Promise<void> {
    const answer = this.#options.answers?.[method];
    try {
      if (!answer) throw new McpError(-32601, `the test has no answer to ${method}`);
      await this.post({ jsonrpc: '2.0', id, result: await answer(params) });
    } catch (thrown) {
      const { code, message } = McpError.from(thrown);
      await this.post({ jsonrpc: '2.0', id, error: { code, message } });
    }
  }

  #withEnvelope(params: JsonObject): JsonObject {
    const envelope = {
      [META.protocolVersion]: this.#revision.name,
      [META.clientInfo]: CLIENT_INFO,
      [META.clientCapabilities]: this.#options.capabilities ?? {},
    };
    return { ...params, _meta: { ...envelope, ...(params._meta as JsonObject | undefined) } };
  }
}
