import type { EventStream } from './event-stream.js';
import { initializeRequest } from './legacy-client.js';
import { getStream, postJson } from './send.js';

/** A raw client of the HTTP+SSE transport of 2024-11-05. */
export class SseClient {
  readonly stream: EventStream;
  readonly endpoint: string;
  readonly #headers: Record<string, string>;

  private constructor(stream: EventStream, endpoint: string, headers: Record<string, string>) {
    this.stream = stream;
    this.endpoint = endpoint;
    this.#headers = headers;
  }

  /** Connects, without shaking hands. */
  static async connect(url: string, headers: Record<string, string> = {}): Promise<SseClient> {
    const stream = await getStream(url, headers);
    const first = await stream.next();
    if (first?.event !== 'endpoint')
      throw new Error(`the first event must name the endpoint: ${JSON.stringify(first)}`);
    return new SseClient(stream, new URL(first.data!, url).href, headers);
  }

  /** Connects and shakes hands. */
  static async open(
    url: string,
    capabilities: object = {},
    headers: Record<string, string> = {},
  ): Promise<SseClient> {
    const client = await SseClient.connect(url, headers);
    await client.post(initializeRequest({ revision: '2024-11-05', capabilities }));
    await client.stream.message();
    await client.post({ jsonrpc: '2.0', method: 'notifications/initialized' });
    return client;
  }

  post(body: unknown): Promise<Response> {
    return postJson(this.endpoint, body, this.#headers);
  }

  call(id: string | number, name: string, args: object = {}): Promise<Response> {
    return this.post({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } });
  }
}
