import { deepEqual } from 'node:assert/strict';
import { Server } from 'tenon';
import { memoryCluster } from 'tenon/cluster';
import { listen } from 'tenon/node';

export { listen };

export const server = new Server({ name: 'bistro', version: '1.0.0' });
server.tool('greet', {}, () => 'Hello');

export const cluster = memoryCluster();
export const key = 'a key of at least thirty-two bytes';
export const running = await listen(server, { port: 0, healthPath: '/healthz' });

/** Asks for the health of a server. */
export async function check(): Promise<void> {
  const response = await fetch(new URL('/healthz', running.url));
  deepEqual([response.status, await response.text()], [200, 'ok\n']);
  const foreign = await fetch(running.url, { method: 'POST', headers: { origin: 'https://evil.example' } });
  deepEqual(foreign.status, 403);
}
