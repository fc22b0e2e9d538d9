import { onTestFinished } from 'vitest';
import { type ListenOptions, listen, type RunningHttpServer } from '../../src/node/index.js';
import { Server, type ServerOptions } from '../../src/server/index.js';
import { freshKeys } from '../keys.js';

export interface Served extends RunningHttpServer {
  server: Server;
  /** What the author would have been told of. */
  errors: unknown[];
}

/** Serves a server on a free port until the test is over. */
export async function serve(
  configure: (server: Server) => void,
  { server: serverOptions = {}, ...listenOptions }: ListenOptions & { server?: ServerOptions } = {},
): Promise<Served> {
  const errors: unknown[] = [];
  const server = new Server(
    { name: 'faults', version: '1.0.0' },
    { onError: error => errors.push(error), onWarning: () => {}, ...serverOptions },
  );
  configure(server);
  const listening = await listen(server, { port: 0, keys: freshKeys(), ...listenOptions });
  onTestFinished(() => listening.close(0));
  return { ...listening, server, errors };
}

/** A server with one tool that gives back what it got. */
export function echoing(server: Server): void {
  server.tool('echo', { input: { type: 'object', properties: { value: {} }, required: ['value'] } }, args =>
    JSON.stringify((args as { value: unknown }).value),
  );
}
