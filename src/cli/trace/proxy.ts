import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { AddressInfo } from 'node:net';
import { cannotListen } from '../cannot-listen.js';
import { tapBody } from './body-tap.js';
import { refuseForeign, requestHeaders, responseHeaders, toMap } from './proxy-headers.js';
import type { Tracer } from './tracer.js';

export interface ProxyOptions {
  readonly target: URL;
  readonly port: number;
  readonly tracer: Tracer;
  /** Headers to add to a request, such as credentials. */
  readonly headers: (method: string) => Promise<Readonly<Record<string, string>>>;
  /** Called with the status of every response. */
  readonly onStatus: (status: number) => void;
}

export interface RunningProxy {
  /** The address for clients, in place of the target's. */
  readonly address: string;
  close(): Promise<void>;
}

/** Offers a server at a loopback address, passes everything on while it comes, and shows it to the tracer. */
export async function startProxy(options: ProxyOptions): Promise<RunningProxy> {
  let exchanges = 0;
  const server = createServer((request, response) => {
    const exchange = new Exchange(++exchanges, request, response, options);
    void exchange.run();
  });
  // A client may take as long to send its request as the server allows.
  server.requestTimeout = 0;
  await new Promise<void>((resolve, reject) => {
    server.once('error', error => reject(cannotListen(error, options.port, '--listen')));
    server.listen(options.port, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const { pathname, search } = options.target;
  return {
    address: `http://127.0.0.1:${port}${pathname}${search}`,
    close: () => {
      server.closeAllConnections();
      return new Promise(resolve => server.close(() => resolve()));
    },
  };
}

/** One request of a client, and the response of the server. */
class Exchange {
  readonly #number: number;
  readonly #request: IncomingMessage;
  readonly #response: ServerResponse;
  readonly #options: ProxyOptions;

  constructor(number: number, request: IncomingMessage, response: ServerResponse, options: ProxyOptions) {
    this.#number = number;
    this.#request = request;
    this.#response = response;
    this.#options = options;
  }

  async run(): Promise<void> {
    const { method = 'GET', url: path = '/', rawHeaders } = this.#request;
    this.#tell('client', { request: { method, path, headers: toMap(rawHeaders) } });
    const refusal = refuseForeign(this.#request.headers);
    if (refusal) return this.#fail(403, refusal);
    let own: Readonly<Record<string, string>>;
    try {
      own = await this.#options.headers(method);
    } catch (error) {
      return this.#fail(502, `there are no credentials for this request: ${(error as Error).message}`);
    }
    this.#passOn(method, path, own);
  }

  #passOn(method: string, path: string, own: Readonly<Record<string, string>>): void {
    const { target } = this.#options;
    const headers = requestHeaders(this.#request, target, own);
    const send = target.protocol === 'https:' ? httpsRequest : httpRequest;
    // A connection of its own for each: one that was kept could be closed by the server while it is used.
    const upstream = send(new URL(path, target.origin), { method, headers, agent: false });
    upstream.on('response', incoming => this.#answer(incoming));
    upstream.on('error', error => this.#fail(502, `cannot reach ${target.origin}: ${reasonOf(error)}`));
    this.#response.on('close', () => {
      if (!this.#response.writableFinished) this.#tell('client', { end: 'the client closed the connection' });
      upstream.destroy();
    });
    const tap = tapBody(toMap(this.#request.rawHeaders), found => this.#tell('client', found));
    this.#request.on('data', chunk => tap.push(chunk)).on('end', () => tap.end());
    this.#request.pipe(upstream);
  }

  #answer(incoming: IncomingMessage): void {
    const { statusCode: status = 502, statusMessage, rawHeaders } = incoming;
    const headers = toMap(rawHeaders);
    this.#tell('server', { response: { status, headers } });
    this.#options.onStatus(status);
    this.#response.writeHead(status, statusMessage, responseHeaders(incoming));
    // The client waits for the start of a stream, which may have no event for a long time.
    this.#response.flushHeaders();
    const tap = tapBody(headers, found => this.#tell('server', found));
    incoming.on('data', chunk => tap.push(chunk));
    incoming.on('end', () => {
      tap.end();
      if (/event-stream/i.test(headers['content-type'] ?? ''))
        this.#tell('server', { end: 'the stream ended' });
    });
    incoming.on('error', error => {
      if (this.#response.destroyed) return;
      this.#tell('server', { end: `the response broke off: ${reasonOf(error)}`, failed: true });
      this.#response.destroy();
    });
    incoming.pipe(this.#response);
  }

  /** Answers in place of the server. */
  #fail(status: number, reason: string): void {
    if (this.#response.destroyed || this.#response.headersSent) return;
    this.#tell('server', { end: `${reason}; tenon answered with HTTP ${status}`, failed: true });
    this.#response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
    this.#response.end(`tenon trace: ${reason}\n`);
  }

  #tell(from: 'client' | 'server', what: Omit<Parameters<Tracer['tell']>[0], 'from' | 'exchange'>): void {
    this.#options.tracer.tell({ from, exchange: this.#number, ...what });
  }
}

/** Node joins the errors of all addresses of a host into one without a message. */
function reasonOf(error: NodeJS.ErrnoException): string {
  return error.message || error.code || 'the connection failed';
}
