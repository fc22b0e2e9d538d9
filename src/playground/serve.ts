import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { originsAt } from './origins.js';
import { Playground, type PlaygroundOptions } from './playground.js';
import { serveSandbox } from './sandbox.js';

/** A page that is being served. */
export interface ServedPage {
  /** The address with its secret, for the user. */
  readonly address: string;
  readonly playground: Playground;
  close(): Promise<void>;
}

/** Serves the page on this machine only. */
export async function servePage(
  options: Omit<PlaygroundOptions, 'sandboxPort'>,
  port: number,
): Promise<ServedPage> {
  let bound = port;
  const sandbox = await serveSandbox(() => originsAt(bound));
  const playground = new Playground({ ...options, sandboxPort: sandbox.port });
  const http = createServer((request, response) => void playground.handle(request, response));
  await new Promise<void>((resolve, reject) => {
    http.once('error', error => sandbox.close().then(() => reject(error), reject));
    http.listen(port, '127.0.0.1', resolve);
  });
  bound = (http.address() as AddressInfo).port;
  return {
    address: `http://127.0.0.1:${bound}/#key=${playground.secret}`,
    playground,
    async close() {
      await Promise.all([playground.close(), sandbox.close()]);
      http.closeAllConnections();
      await new Promise(resolve => http.close(resolve));
    },
  };
}
