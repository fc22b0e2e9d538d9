import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { appSandbox } from 'tenon/apps/host';
import { refuse, refuseForeign } from './guard.js';

/** The sandbox of apps, while it is served. */
export interface ServedSandbox {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Serves the sandbox of apps on a port of its own. The page uses it by the other name of this machine, localhost or
 * 127.0.0.1, so that browsers see another site and give apps a process of their own.
 */
export async function serveSandbox(hosts: () => readonly string[]): Promise<ServedSandbox> {
  const listener: RequestListener = (request, response) => {
    const refusal = refuseForeign(request);
    if (refusal) return refuse(response, refusal);
    const { method = 'GET', url = '/' } = request;
    const answer = appSandbox({ hosts: hosts() })(new Request(new URL(url, 'http://localhost'), { method }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    void answer.text().then(text => response.end(text));
  };
  const first = await listenOn(listener, 0, '127.0.0.1');
  const { port } = first.address() as AddressInfo;
  // Browsers may look for localhost here first. Where there is no such address, nothing can be listening on it.
  const second = await listenOn(listener, port, '::1').catch(() => undefined);
  return {
    port,
    async close() {
      await Promise.all([first, second].map(server => server && close(server)));
    },
  };
}

function listenOn(listener: RequestListener, port: number, address: string): Promise<Server> {
  const server = createServer(listener);
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, () => resolve(server));
  });
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise(resolve => server.close(resolve));
}
