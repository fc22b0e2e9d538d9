import { deepEqual } from 'node:assert/strict';
import { Server } from 'tenon';
import { connect } from 'tenon/client';
import { memoryCluster } from 'tenon/cluster';
import { listen } from 'tenon/node';
import { textOf } from 'tenon/testing';

export { listen };

export const server = new Server({ name: 'bistro', version: '1.0.0' });
server.tool('greet', {}, () => 'Hello');

export const cluster = memoryCluster();
export const key = 'a key of at least thirty-two bytes';
export const running = await listen(server, { port: 0, healthPath: '/healthz' });

interface Worker {
  default?: { fetch(request: Request, env: { TENON_KEYS: string }): Promise<Response> };
}

/** Asks for the health of a server, and calls the worker. */
export async function check(snippets: readonly Worker[]): Promise<void> {
  const workers = snippets.flatMap(snippet => snippet.default ?? []);
  deepEqual(workers.length, 1);
  const [worker] = workers;
  const env = { TENON_KEYS: `${key},another ${key}` };
  const client = await connect('http://localhost/mcp', {
    fetch: (input, init) => (worker as NonNullable<typeof worker>).fetch(new Request(input, init), env),
  });
  deepEqual(textOf(await client.callTool('greet')), 'Hello');
  await client.close();
  const response = await fetch(new URL('/healthz', running.url));
  deepEqual([response.status, await response.text()], [200, 'ok\n']);
  const foreign = await fetch(running.url, { method: 'POST', headers: { origin: 'https://evil.example' } });
  deepEqual(foreign.status, 403);
}
