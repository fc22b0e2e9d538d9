import { once } from 'node:events';
import { type Middleware, Server } from 'tenon';
import { listen } from 'tenon/node';
import { taskWorkOf } from 'tenon/tasks';
import { ServerFile } from '../load/server-file.js';
import { log, logConsole } from './json-log.js';
import { tellReady } from './ready.js';

export interface ServeFlags {
  readonly port: number;
  readonly host: string;
  readonly path: string;
  readonly health: string;
  /** Whether it also works on tasks. */
  readonly work: boolean;
  /** Seconds. */
  readonly grace: number;
  readonly logRequests?: boolean;
}

/** Serves a file until the signal aborts; then finishes the calls that are running, and hands its tasks over. */
export async function serve(path: string, flags: ServeFlags, signal: AbortSignal): Promise<void> {
  logConsole();
  const { server, options } = await new ServerFile(path).load();
  if (flags.logRequests && server instanceof Server) server.use(logRequest);
  const { port, host, path: endpoint, health: healthPath } = flags;
  const settings = { ...options, ...(!flags.work && { work: false }) };
  const { url, close } = await listen(server, { ...settings, port, host, path: endpoint, healthPath });
  // Tasks of nodes that are gone may wait, and the first request may be long in coming.
  await taskWorkOf(server)?.start();
  log('info', 'listening', { url, health: new URL(healthPath, url).href });
  tellReady(options.cluster);
  if (!signal.aborted) await once(signal, 'abort');
  log('info', 'closing', { graceSeconds: flags.grace });
  await close(flags.grace * 1000);
  await taskWorkOf(server)?.close();
  await options.cluster?.close();
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
