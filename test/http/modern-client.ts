import type { EventStream } from './event-stream.js';
import { type Answer, postJson, postStream, readAnswer } from './send.js';

const REVISION = '2026-07-28';

export interface ModernOptions {
  id?: string | number;
  /** Added to the envelope, or in place of parts of it. */
  meta?: object;
  /** Added to the mirrored headers, or in place of them; an empty string leaves one out. */
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

/** A raw client of the revisions with an envelope: each request stands alone. */
export class ModernClient {
  readonly url: string;
  readonly #headers: Record<string, string>;
  #lastId = 0;

  constructor(url: string, headers: Record<string, string> = {}) {
    this.url = url;
    this.#headers = headers;
  }

  post(method: string, params: object = {}, options: ModernOptions = {}): Promise<Response> {
    const { body, headers } = this.#compose(method, params, options);
    return postJson(this.url, body, headers, options.signal);
  }

  async request(method: string, params: object = {}, options: ModernOptions = {}): Promise<Answer> {
    return readAnswer(await this.post(method, params, options));
  }

  call(name: string, args: object = {}, options: ModernOptions = {}): Promise<Answer> {
    return this.request('tools/call', { name, arguments: args }, options);
  }

  /** Calls a tool whose answer is expected to be a stream. */
  stream(name: string, args: object = {}, options: ModernOptions = {}): Promise<EventStream> {
    const { body, headers } = this.#compose('tools/call', { name, arguments: args }, options);
    return postStream(this.url, body, headers);
  }

  /** Opens a listen stream. */
  listen(notifications: unknown, id: string | number = ++this.#lastId): Promise<EventStream> {
    const { body, headers } = this.#compose('subscriptions/listen', { notifications }, { id });
    return postStream(this.url, body, headers);
  }

  #compose(method: string, params: object, { id = ++this.#lastId, meta, headers }: ModernOptions) {
    const all: Record<string, string> = { ...mirror(method, params), ...this.#headers, ...headers };
    return {
      body: { jsonrpc: '2.0', id, method, params: { ...params, _meta: { ...envelope(), ...meta } } },
      headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '')),
    };
  }
}

export function envelope(): Record<string, unknown> {
  return {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
}

/** The headers that repeat what the body says. */
export function mirror(method: string, params: { name?: unknown; uri?: unknown }): Record<string, string> {
  const named = ['tools/call', 'prompts/get', 'resources/read'].includes(method);
  const target = params.name ?? params.uri;
  return {
    'mcp-protocol-version': REVISION,
    'mcp-method': method,
    ...(named && target !== undefined && { 'mcp-name': String(target) }),
  };
}
