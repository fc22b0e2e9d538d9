import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const MODERN = '2026-07-28';
export const LEGACY = '2025-11-25';

/** What a server written by hand does with one HTTP request. */
export type Answer = (ask: Ask) => unknown;

/** One HTTP request, and every way to answer it, also the wrong ones. */
export class Ask {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** The JSON-RPC message in the body, if there is one. */
  readonly message: any;
  /** Resolves when the response is over, or the client has hung up. */
  readonly gone: Promise<unknown>;

  constructor(request: IncomingMessage, response: ServerResponse, body: string) {
    this.request = request;
    this.response = response;
    this.message = body === '' ? undefined : JSON.parse(body);
    this.gone = new Promise(resolve => response.once('close', resolve));
  }

  get method(): string {
    return this.message?.method ?? this.request.method;
  }

  get session(): string | undefined {
    return this.request.headers['mcp-session-id'] as string | undefined;
  }

  /** Any status and body. */
  send(status: number, body: string | Uint8Array = '', headers: Record<string, string> = {}): void {
    this.response.writeHead(status, headers).end(body);
  }

  /** A JSON body, whatever it says. */
  json(value: unknown, headers: Record<string, string> = {}): void {
    const body = typeof value === 'string' ? value : JSON.stringify(value);
    this.send(200, body, { 'content-type': 'application/json', ...headers });
  }

  result(result: object, headers?: Record<string, string>): void {
    this.json(this.resultMessage(result), headers);
  }

  text(text: string): void {
    this.result({ content: [{ type: 'text', text }] });
  }

  error(
    code: number,
    message: string,
    { status = 200, data }: { status?: number; data?: unknown } = {},
  ): void {
    const body = { jsonrpc: '2.0', id: this.message.id, error: { code, message, data } };
    this.send(status, JSON.stringify(body), { 'content-type': 'application/json' });
  }

  resultMessage(result: object): object {
    return { jsonrpc: '2.0', id: this.message.id, result };
  }

  textMessage(text: string): object {
    return this.resultMessage({ content: [{ type: 'text', text }] });
  }

  /** Begins a stream of events. */
  stream(headers: Record<string, string> = {}): this {
    this.response.writeHead(200, { 'content-type': 'text/event-stream', ...headers }).flushHeaders();
    return this;
  }

  event(message: unknown, id?: string): this {
    const data = typeof message === 'string' ? message : JSON.stringify(message);
    this.response.write(`${id === undefined ? '' : `id: ${id}\n`}data: ${data}\n\n`);
    return this;
  }

  /** Writes, and waits until it is taken; false if the client hung up instead. */
  async write(bytes: string | Uint8Array): Promise<boolean> {
    if (this.response.destroyed) return false;
    if (this.response.write(bytes)) return true;
    await Promise.race([new Promise(resolve => this.response.once('drain', resolve)), this.gone]);
    return !this.response.destroyed;
  }
}

export interface RawServer {
  url: string;
  port: number;
  /** All requests so far. */
  asks: Ask[];
  /** Those with a method, or with an HTTP method other than POST. */
  of(method: string): Ask[];
  close(): Promise<void>;
}

/** A server that does what the test says. */
export async function listenRaw(answer: Answer): Promise<RawServer> {
  const asks: Ask[] = [];
  const server = createServer((request, response) => {
    let body = '';
    response.on('error', () => {});
    request.on('error', () => {});
    request.setEncoding('utf8').on('data', text => {
      body += text;
    });
    request.on('end', () => {
      const ask = new Ask(request, response, body);
      asks.push(ask);
      answer(ask);
    });
  });
  server.keepAliveTimeout = 60_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    port,
    asks,
    of: method => asks.filter(ask => ask.method === method),
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

const CAPABILITIES = { tools: {}, prompts: {}, resources: {}, logging: {}, completions: {} };

/** A modern server: says what it is, and answers the rest as the test says. */
export function modern(answers: Record<string, Answer>): Answer {
  return ask => {
    const answer = answers[ask.method] ?? answers['*'];
    if (answer) return answer(ask);
    if (ask.method === 'server/discover') return ask.result(DISCOVERY);
    ask.error(-32601, `method not found: ${ask.method}`, { status: 404 });
  };
}

export const DISCOVERY = { supportedVersions: [MODERN], capabilities: CAPABILITIES };

/** A server of the handshake revisions with sessions: knows nothing of discovery, and has no stream of its own. */
export function legacy(
  answers: Record<string, Answer>,
  session: () => string | undefined = () => 's-1',
): Answer {
  return ask => {
    const answer = answers[ask.method] ?? answers['*'];
    if (answer) return answer(ask);
    if (ask.method === 'initialize') return welcome(ask, session());
    if (ask.method === 'ping') return ask.result({});
    if (ask.message && ask.message.id === undefined) return ask.send(202);
    if (ask.method === 'GET') return ask.send(405);
    if (ask.method === 'DELETE') return ask.send(200);
    if (ask.method === 'server/discover') {
      const error = { code: -32000, message: 'Bad Request: Server not initialized' };
      return ask.send(400, JSON.stringify({ jsonrpc: '2.0', id: null, error }), {
        'content-type': 'application/json',
      });
    }
    ask.error(-32601, `method not found: ${ask.method}`);
  };
}

export function welcome(ask: Ask, session: string | undefined, capabilities: object = CAPABILITIES): void {
  const result = {
    protocolVersion: ask.message.params.protocolVersion,
    capabilities,
    serverInfo: { name: 'raw', version: '1.0.0' },
  };
  ask.result(result, session === undefined ? {} : { 'mcp-session-id': session });
}

/** Both eras, for tests that want the same from each. */
export const ERAS = [
  { era: 'modern', serve: modern },
  { era: 'legacy', serve: (answers: Record<string, Answer>) => legacy(answers) },
] as const;
