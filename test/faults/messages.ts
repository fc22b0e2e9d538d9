import { encodeHeaderValue, META } from '../../src/vocabulary/index.js';
import {
  exchange,
  type Head,
  RawConnection,
  type RawRequest,
  type RawResponse,
  requestBytes,
} from './raw-http.js';

export type Id = string | number;

export const MODERN = '2026-07-28';
export const LEGACY = '2025-11-25';

export const POST_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
} as const;

export const INITIALIZE = {
  protocolVersion: LEGACY,
  capabilities: {},
  clientInfo: { name: 'fault-test', version: '1.0.0' },
};

/** The `_meta` that every modern request needs. */
export const ENVELOPE = { [META.protocolVersion]: MODERN, [META.clientCapabilities]: {} };

/** A POST of anything that JSON can write; a text is sent as it is. */
export function post(message: unknown, headers: RawRequest['headers'] = {}): RawRequest {
  const body =
    typeof message === 'string' || message instanceof Uint8Array ? message : JSON.stringify(message);
  return { headers: { ...POST_HEADERS, ...headers }, body };
}

/** A well-formed request of the modern era; `headers` and `meta` are added or replace what it has. */
export function modern(
  method: string,
  params: object = {},
  { id = 1, headers = {}, meta = {} }: { id?: Id; headers?: RawRequest['headers']; meta?: object } = {},
): RawRequest {
  const { name, uri = name, taskId = uri } = params as { name?: unknown; uri?: unknown; taskId?: unknown };
  return post(
    { jsonrpc: '2.0', id, method, params: { ...params, _meta: { ...ENVELOPE, ...meta } } },
    {
      'mcp-protocol-version': MODERN,
      'mcp-method': method,
      ...(typeof taskId === 'string' && { 'mcp-name': encodeHeaderValue(taskId) }),
      ...headers,
    },
  );
}

/** A request in a session of the legacy era. */
export function legacy(
  session: string,
  method: string,
  params: object = {},
  { id = 1, headers = {} }: { id?: Id; headers?: RawRequest['headers'] } = {},
): RawRequest {
  return post({ jsonrpc: '2.0', id, method, params }, { 'mcp-session-id': session, ...headers });
}

/** Opens a session, with the whole handshake, and returns its id. */
export async function openSession(
  port: number,
  {
    protocolVersion = LEGACY,
    capabilities = {},
    headers = {},
    localAddress,
  }: {
    protocolVersion?: string;
    capabilities?: object;
    headers?: RawRequest['headers'];
    localAddress?: string | undefined;
  } = {},
): Promise<string> {
  const params = { ...INITIALIZE, protocolVersion, capabilities };
  const response = await exchange(
    port,
    post({ jsonrpc: '2.0', id: 0, method: 'initialize', params }, headers),
    localAddress,
  );
  const session = response.headers.get('mcp-session-id');
  if (session === undefined) throw new Error(`no session: ${response.status} ${response.body}`);
  const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
  await exchange(port, post(initialized, { ...headers, 'mcp-session-id': session }), localAddress);
  return session;
}

/** The JSON-RPC message in a response that has one, as JSON or as the last event of a stream. */
export function answerOf(response: RawResponse): any {
  const isStream = response.headers.get('content-type') === 'text/event-stream';
  return isStream ? eventsOf(response.body).at(-1) : JSON.parse(response.body);
}

/** The text of the first content block of a tool's answer. */
export function textOf(response: RawResponse): string {
  return answerOf(response).result.content[0].text;
}

/** The messages in the text of an event stream. */
export function eventsOf(stream: string): any[] {
  return [...stream.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data as string));
}

/** An event stream that a request has opened, message by message. */
export class EventStream {
  readonly connection: RawConnection;
  readonly head: Head;
  readonly #pieces: AsyncGenerator<Buffer>;
  #text = '';

  private constructor(connection: RawConnection, head: Head) {
    this.connection = connection;
    this.head = head;
    this.#pieces = connection.body(head);
  }

  static async open(port: number, request: RawRequest): Promise<EventStream> {
    const connection = await RawConnection.open(port);
    connection.send(requestBytes(request));
    return new EventStream(connection, await connection.head());
  }

  /** The next message; undefined at the regular end of the stream. */
  async next(): Promise<any> {
    return (await this.nextEvent())?.message;
  }

  /** The next event that carries a message, with its id. */
  async nextEvent(): Promise<{ id: string | undefined; message: any } | undefined> {
    for (;;) {
      const end = this.#text.indexOf('\n\n');
      if (end >= 0) {
        const event = this.#text.slice(0, end);
        this.#text = this.#text.slice(end + 2);
        const data = /^data: (.+)$/m.exec(event)?.[1];
        if (data !== undefined) return { id: /^id: (.+)$/m.exec(event)?.[1], message: JSON.parse(data) };
        continue;
      }
      const piece = await this.#pieces.next();
      if (piece.done) return undefined;
      this.#text += piece.value.toString();
    }
  }

  /** Whatever is left, to the end of the stream. */
  async rest(): Promise<any[]> {
    const messages: any[] = [];
    for (let message = await this.next(); message !== undefined; message = await this.next())
      messages.push(message);
    return messages;
  }
}

/** Values with their text, short enough for the name of a test. */
export function shown<T>(values: readonly T[]): { value: T; text: string }[] {
  return values.map(value => ({ value, text: String(JSON.stringify(value)).slice(0, 60) }));
}
