import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import {
  type ListenOptions,
  listen,
  type NodeHandler,
  nodeHandler,
  type RunningHttpServer,
} from '../../src/node/index.js';
import { Server, type ServerOptions } from '../../src/server/index.js';
import { freshKeys } from '../keys.js';

/** Serves on a free loopback port until the test is over. */
export async function serve(server: Server, options: ListenOptions = {}): Promise<RunningHttpServer> {
  const listening = await listen(server, { port: 0, keys: freshKeys(), ...options });
  onTestFinished(() => listening.close(0));
  return listening;
}

/** A server with what `add` registers. */
export function serverWith(add: (server: Server) => void, options: ServerOptions = {}): Server {
  const server = new Server({ name: 'under-test', version: '1.0.0' }, options);
  add(server);
  return server;
}

/** A `node:http` server of the test's own, for a look at what only the serving side can see. */
export interface Observed {
  readonly url: string;
  readonly handler: NodeHandler;
  /** Resolves when this side has noticed that the connection of the newest response is closed. */
  newestClosed(): Promise<void>;
}

export async function serveObserved(server: Server, options: ListenOptions = {}): Promise<Observed> {
  const handler = nodeHandler(server, { keys: freshKeys(), ...options });
  let newest: ServerResponse | undefined;
  const http = createServer((request, response) => {
    newest = response;
    handler(request, response);
  });
  http.listen(0, '127.0.0.1');
  await once(http, 'listening');
  onTestFinished(async () => {
    await handler.close(0);
    http.closeAllConnections();
    http.close();
  });
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    handler,
    async newestClosed() {
      if (!newest?.closed) await once(newest as ServerResponse, 'close');
    },
  };
}
