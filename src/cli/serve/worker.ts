import { once } from 'node:events';
import { type Middleware, Server } from 'tenon';
import { listen } from 'tenon/node';
import { ServerFile } from '../load/server-file.js';
import { log, logConsole } from './json-log.js';

export interface ServeFlags {
  readonly port: number;
  readonly host: string;
  readonly path: string;
  readonly health: string;
  /** Seconds. */
  readonly grace: number;
  readonly logRequests?: boolean;
}

/** Serves a file until the signal aborts; then finishes the calls that are running. */
export async function serve(path: string, flags: ServeFlags, signal: AbortSignal): Promise<void> {
  logConsole();
  const { server, options } = await new ServerFile(path).load();
  if (flags.logRequests && server instanceof Server) server.use(logRequest);
  const { port, host, path: endpoint, health: healthPath } = flags;
  const { url, close } = await listen(server, { ...options, port, host, path: endpoint, healthPath });
  log('info', 'listening', { url, health: new URL(healthPath, url).href });
  if (!signal.aborted) await once(signal, 'abort');
  log('info', 'closing', { graceSeconds: flags.grace });
  await close(flags.grace * 1000);
  log('info', 'closed');
}

const logRequest: Middleware = async (call, next) => {
  const startedAt = performance.now();
  let outcome = 'failed';
  try {
    const result = await next();
    outcome = 'isError' in result && result.isError === true ? 'tool error' : 'ok';
    return result;
  } finally {
    const { method, params } = call;
    const target = params.name ?? params.uri;
    const ms = Math.round((performance.now() - startedAt) * 10) / 10;
    log('info', 'request', { method, ...(target !== undefined && { target }), outcome, ms });
  }
};
