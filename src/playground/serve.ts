import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Playground, type PlaygroundOptions } from './playground.js';

/** A page that is being served. */
export interface ServedPage {
  /** The address with its secret, for the user. */
  readonly address: string;
  readonly playground: Playground;
  close(): Promise<void>;
}

/** Serves the page on this machine only. */
export async function servePage(options: PlaygroundOptions, port: number): Promise<ServedPage> {
  const playground = new Playground(options);
  const http = createServer((request, response) => void playground.handle(request, response));
  await new Promise<void>((resolve, reject) => {
    http.once('error', reject);
    http.listen(port, '127.0.0.1', resolve);
  });
  const { port: bound } = http.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${bound}/#key=${playground.secret}`,
    playground,
    async close() {
      await playground.close();
      http.closeAllConnections();
      await new Promise(resolve => http.close(resolve));
    },
  };
}
