import {
  createServer,
  type IncomingMessage,
  type Server as NodeServer,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { TenonError, UsageError } from '../../base/errors.js';
import { quoteBriefly } from '../../base/json.js';
import { checkOptions, type OptionNames } from '../../base/options.js';
import { type LocalService, type Servable, serviceOf } from '../../protocol/service.js';
import { ssePaths } from '../../server/http/legacy/http-sse-paths.js';
import {
  CONNECTION_BYTES,
  GRACE_MS,
  HEAD_MS,
  IDLE_CONNECTION_MS,
  MAX_HEADERS,
  UNFINISHED_HEADS_SHARE,
} from '../../server/limits.js';
import { discardBody } from './arriving-body.js';
import { Connections } from './connections.js';
import { createNodeHandler, NODE_HANDLER_OPTIONS, type NodeHandlerOptions } from './handler.js';

/** Options of `listen`. */
export interface ListenOptions extends NodeHandlerOptions {
  /** 3000 by default; 0 for any free one. */
  port?: number | undefined;
  /** `127.0.0.1` by default: reachable from this machine only. */
  host?: string | undefined;
  /** `/mcp` by default. */
  path?: string | undefined;
  /**
   * A path that answers `ok` while the server runs, such as `/healthz`, for load balancers; none by default. It answers
   * whatever the `Host` is, and says nothing about the server.
   */
  healthPath?: string | undefined;
  /** After how long an idle connection is closed: 75 seconds by default. Make it longer than a load balancer's. */
  idleConnectionMs?: number | undefined;
}

/** Node's own limit for bodies is not needed: they are limited where they are read. */
const TIMEOUTS = { headersTimeout: HEAD_MS, requestTimeout: 0, connectionsCheckingInterval: HEAD_MS / 6 };

const LISTEN_OPTIONS: OptionNames<ListenOptions> = {
  port: 1,
  host: 'a text',
  path: 1,
  healthPath: 1,
  idleConnectionMs: 1,
  ...NODE_HANDLER_OPTIONS,
};

/**
 * The server cannot listen on the port: another program uses it, or it is not allowed. The message says which; `cause`
 * is the error of the system. Stop the other program, or use another port.
 *
 * @example
 * const running = await listen(server, { port }).catch(error => {
 *   if (error instanceof CannotListen) return listen(server, { port: 0 });
 *   throw error;
 * });
 * console.error(running.url);
 */
export class CannotListen extends TenonError {
  override readonly name = 'CannotListen';
  override readonly kind = 'cannot-listen';
}

/** A server that listens on a port. */
export interface RunningHttpServer {
  readonly url: string;
  /** The URL for clients of the old HTTP+SSE transport, if that is served. */
  readonly sseUrl: string | undefined;
  readonly port: number;
  /** Resolves after `close` was called, when all calls and connections have ended. */
  readonly closed: Promise<void>;
  /** Stops accepting, ends streams, waits for calls up to `graceMs`, then closes all connections. */
  close(graceMs?: number): Promise<void>;
}

/**
 * Serves a server on `node:http`: every revision on one URL.
 *
 * @example
 * const { url, close } = await listen(server, { port: 3000 });
 */
export async function listen(server: Servable, options: ListenOptions = {}): Promise<RunningHttpServer> {
  const service = serviceOf(server, 'listen');
  checkOptions(options, LISTEN_OPTIONS, 'listen');
  const { port = 3000, host = '127.0.0.1', path = '/mcp', healthPath } = options;
  if (!(Number.isInteger(port) && port >= 0 && port < 65_536)) {
    throw new UsageError(`port must be a number from 0 to 65535, not ${port}`);
  }
  checkPath(path, 'path', '/mcp');
  if (healthPath !== undefined) checkPath(healthPath, 'healthPath', '/healthz');
  if (healthPath === path) throw new UsageError('healthPath must differ from path');
  const http = new HttpServer(service, path, options);
  const bound = await http.bind(port, host);
  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${bound}`;
  const sse = ssePaths(options.sse);
  return {
    url: origin + path,
    sseUrl: sse && origin + sse.stream,
    port: bound,
    closed: http.closed,
    close: graceMs => http.close(graceMs),
  };
}

function checkPath(path: unknown, name: string, example: string): void {
  if (typeof path === 'string' && /^\/[^?#\s]*$/.test(path)) return;
  throw new UsageError(`${name} must begin with a slash, as in "${example}", not ${quoteBriefly(path)}`);
}

class HttpServer {
  readonly closed: Promise<void>;
  readonly #service: LocalService;
  readonly #path: string;
  readonly #healthPath: string | undefined;
  readonly #paths: ReadonlySet<string>;
  readonly #auth: ListenOptions['auth'];
  readonly #handler: ReturnType<typeof createNodeHandler>;
  readonly #http = createServer(TIMEOUTS);
  readonly #connections: Connections;

  constructor(service: LocalService, path: string, options: ListenOptions) {
    const { port: _, host: __, path: ___, healthPath, ...rest } = options;
    const { idleConnectionMs = IDLE_CONNECTION_MS, ...handling } = rest;
    if (!(idleConnectionMs > 0)) {
      throw new UsageError(`idleConnectionMs must be a positive number, not ${idleConnectionMs}`);
    }
    const sse = ssePaths(options.sse);
    this.#service = service;
    this.#path = path;
    this.#healthPath = healthPath;
    this.#paths = new Set([path, ...(sse ? [sse.stream, sse.messages] : [])]);
    this.#auth = options.auth;
    this.#handler = createNodeHandler(service, handling);
    const { ledger, requests } = this.#handler;
    this.#connections = new Connections(this.#http, requests, idleConnectionMs, {
      connections: ledger.limit / CONNECTION_BYTES,
      unfinishedBytes: ledger.limit * UNFINISHED_HEADS_SHARE,
    });
    this.#http.maxHeadersCount = MAX_HEADERS;
    this.closed = new Promise(resolve => this.#http.once('close', resolve));
    this.#http.on('request', (request, response) => this.#handle(request, response));
  }

  /** Starts to listen, and returns the port. */
  async bind(port: number, host: string): Promise<number> {
    try {
      await this.#handler.joined();
      await bind(this.#http, port, host);
    } catch (problem) {
      await this.#handler.close(0);
      throw problem;
    }
    // A connection that could not be accepted must not end the others.
    this.#http.on('error', problem => this.#service.report(problem, 'http'));
    return (this.#http.address() as AddressInfo).port;
  }

  /** May be called again, with a shorter grace period. */
  async close(graceMs: number = GRACE_MS): Promise<void> {
    this.#http.close();
    await this.#handler.close(graceMs);
    // The last responses may still be on their way to slow readers.
    this.#connections.closeSoon();
    const timer = setTimeout(() => this.#http.closeAllConnections(), graceMs);
    await this.closed;
    clearTimeout(timer);
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    this.#connections.use(request.socket);
    // Node leaves out what exceeds the limit, so the request is not what the client sent.
    if (request.rawHeaders.length > MAX_HEADERS * 2) return refuseHeaders(request, response);
    const url = originForm(request);
    const end = url.indexOf('?');
    const asked = end < 0 ? url : url.slice(0, end);
    if (this.#paths.has(asked) || this.#auth?.takes(asked)) return this.#handler.serve(request, response);
    this.#handler.serve(request, response, () => {
      discardBody(request);
      if (asked === this.#healthPath) response.writeHead(200, PLAIN).end('ok\n');
      else response.writeHead(404, PLAIN).end(`Nothing here. The MCP endpoint is ${this.#path}\n`);
    });
  }
}

/** The target of a request without its host, which proxies and some clients send as well. */
function originForm(request: IncomingMessage): string {
  const { url = '/' } = request;
  if (url.startsWith('/')) return url;
  const [, host, target] = /^https?:\/\/([^/?#@]+)(.*)$/i.exec(url) ?? [];
  if (host === undefined || target === undefined) return url;
  // RFC 9112, section 3.2.2: the host of the target counts, not the header.
  request.headers.host = host;
  request.url = target.startsWith('/') ? target : `/${target}`;
  return request.url;
}

const PLAIN = { 'content-type': 'text/plain' };

function refuseHeaders(request: IncomingMessage, response: ServerResponse): void {
  response.shouldKeepAlive = false;
  discardBody(request);
  response.writeHead(431, PLAIN).end(`A request must not have more than ${MAX_HEADERS} headers.\n`);
}

function bind(http: NodeServer, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once('error', (cause: NodeJS.ErrnoException) => {
      const taken = cause.code === 'EADDRINUSE';
      const remedy = taken
        ? 'stop the other program, or listen with another port (0 takes any free one)'
        : cause.message;
      reject(
        new CannotListen(`cannot listen on ${host}:${port}: ${taken ? 'the port is taken; ' : ''}${remedy}`, {
          cause,
        }),
      );
    });
    http.listen(port, host, () => {
      http.removeAllListeners('error');
      resolve();
    });
  });
}
