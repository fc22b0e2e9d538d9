import { onTestFinished } from 'vitest';
import { Server } from '../../src/index.js';
import { type Listening, type ListenOptions, listen } from '../../src/node/index.js';

/** Serves on a free loopback port until the test is over. */
export async function serve(server: Server, options: ListenOptions = {}): Promise<Listening> {
  const listening = await listen(server, { port: 0, ...options });
  onTestFinished(() => listening.close(0));
  return listening;
}

/** A server with what `add` registers. */
export function serverWith(add: (server: Server) => void): Server {
  const server = new Server({ name: 'under-test', version: '1.0.0' });
  add(server);
  return server;
}
