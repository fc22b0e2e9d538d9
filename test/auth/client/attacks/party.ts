import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What somebody was sent. */
export interface Received {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly form: URLSearchParams;
}

export interface Answer {
  status?: number;
  headers?: Record<string, string | string[]>;
  /** Objects are sent as JSON. */
  body?: unknown;
  /** Whether more may come. */
  isOpen?: boolean;
}

/** `reset` breaks the connection, `hang` never answers. */
export type Reply = Answer | 'reset' | 'hang' | undefined;

export type Route = (received: Received) => Reply | Promise<Reply>;

/** A server on this machine that says what it is told to say, and remembers all that it hears. */
export class Party {
  readonly received: Received[] = [];
  /** By method and path, such as `POST /token`. What it does not know it does not find. */
  readonly routes = new Map<string, Route>();
  readonly name: string;
  readonly #server = createServer((request, response) => {
    const { method = '', url: path = '', headers } = request;
    let body = '';
    request.setEncoding('latin1');
    request.on('data', chunk => {
      body += chunk;
    });
    request.on('end', async () => {
      const received = { method, path, headers, body, form: new URLSearchParams(body) };
      this.received.push(received);
      const route = this.routes.get(`${method} ${path.split('?', 1)[0]}`);
      send(response, (await route?.(received)) ?? { status: 404 });
    });
  });

  constructor(name: string) {
    this.name = name;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** What came for a path. */
  at(path: string): Received[] {
    return this.received.filter(received => received.path.split('?', 1)[0] === path);
  }

  async start(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

function send(response: ServerResponse, reply: Exclude<Reply, undefined>): void {
  if (reply === 'hang') return;
  if (reply === 'reset') return void response.socket?.destroy();
  const { status = 200, headers = {}, body, isOpen = false } = reply;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, {
    ...(text !== undefined && { 'content-type': 'application/json' }),
    ...headers,
  });
  if (isOpen) response.write(text);
  else response.end(text);
}
