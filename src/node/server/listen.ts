import { createServer, type Server as NodeServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TenonError, UsageError } from '../../base/errors.js';
import { quoteBriefly } from '../../base/json.js';
import { checkOptions, type OptionNames } from '../../base/options.js';
import { type Servable, serviceOf } from '../../protocol/service.js';
import { GRACE_MS, HANDLER_OPTIONS, type HandlerOptions } from '../../server/http/handler.js';
import { ssePaths } from '../../server/http/legacy/http-sse.js';
import { Connections } from './connections.js';
import { nodeHandler } from './handler.js';

export interface ListenOptions extends HandlerOptions {
  /** 3000 by default; 0 for any free one. */
  port?: number | undefined;
  /** `127.0.0.1` by default: reachable from this machine only. */
  host?: string | undefined;
  /** `/mcp` by default. */
  path?: string | undefined;
  /** After how long a connection is closed that nobody uses: 75 seconds by default. Make it longer than a balancer's. */
  idleConnectionMs?: number | undefined;
}

const LISTEN_OPTIONS: OptionNames<ListenOptions> = {
  port: 1,
  host: 1,
  path: 1,
  idleConnectionMs: 1,
  ...HANDLER_OPTIONS,
};

/**
 * The port cannot be listened on: another program has it, or it is not allowed. The message says which, `cause` is the
 * error of the system.
 *
 * @example
 * const { url } = await listen(server, { port: 3000 }).catch(error => {
 *   if (error instanceof CannotListen) return listen(server, { port: 0 });
 *   throw error;
 * });
 */
export class CannotListen extends TenonError {
  override readonly name = 'CannotListen';
  override readonly kind = 'cannot-listen';
}

/** A server that listens. */
export interface Listening {
  readonly url: string;
  /** Where clients of the old HTTP+SSE transport connect, if that is served. */
  readonly sseUrl: string | undefined;
  readonly port: number;
  /** Stops accepting, ends streams, waits for calls up to `graceMs`, then closes all connections. */
  close(graceMs?: number): Promise<void>;
}

/**
 * Serves a server on `node:http`: every revision on one URL.
 *
 * @example
 * const { url, close } = await listen(server, { port: 3000 });
 */
export async function listen(server: Servable, options: ListenOptions = {}): Promise<Listening> {
  const service = serviceOf(server, 'listen');
  checkOptions(options, LISTEN_OPTIONS, 'listen');
  const { port = 3000, host = '127.0.0.1', path = '/mcp', idleConnectionMs = 75_000, ...handling } = options;
  if (!(Number.isInteger(port) && port >= 0 && port < 65_536)) {
    throw new UsageError(`port must be a number from 0 to 65535, not ${port}`);
  }
  if (!(idleConnectionMs > 0)) {
    throw new UsageError(`idleConnectionMs must be a positive number, not ${idleConnectionMs}`);
  }
  if (typeof path !== 'string' || !/^\/[^?#\s]*$/.test(path)) {
    throw new UsageError(`path must begin with a slash, as in "/mcp", not ${quoteBriefly(path)}`);
  }
  const handler = nodeHandler(server, handling);
  const old = ssePaths(handling.sse);
  const paths = new Set([path, ...(old ? [old.stream, old.messages] : [])]);
  const http = createServer();
  const connections = new Connections(http, idleConnectionMs);
  http.on('request', (request, response) => {
    connections.use(request.socket, response);
    const url = request.url ?? '/';
    const end = url.indexOf('?');
    const asked = end < 0 ? url : url.slice(0, end);
    if (paths.has(asked) || options.auth?.takes(asked)) return handler(request, response);
    request.resume();
    response
      .writeHead(404, { 'content-type': 'text/plain' })
      .end(`Nothing here. The MCP endpoint is ${path}\n`);
  });
  await bind(http, port, host).catch(async problem => {
    await handler.close(0);
    throw problem;
  });
  // A connection that could not be accepted is no reason to end the others.
  http.on('error', problem => service.report(problem, 'http'));
  const bound = (http.address() as AddressInfo).port;
  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${bound}`;
  return {
    url: origin + path,
    sseUrl: old && origin + old.stream,
    port: bound,
    async close(graceMs = GRACE_MS) {
      const closed = new Promise(resolve => http.close(resolve));
      await handler.close(graceMs);
      // The last answers may still be on their way to slow readers.
      connections.closeSoon();
      const timer = setTimeout(() => http.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(timer);
    },
  };
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
