import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EXIT } from '../exit-codes.js';
import { CliError } from '../failure.js';

export interface HealthAddress {
  readonly port: number;
  readonly host: string;
  readonly health: string;
}

/** Answers `ok` at one path while the process works, for those who watch it. */
export async function openHealth({
  port,
  host,
  health,
}: HealthAddress): Promise<{ url: string; close(): void }> {
  const http = createServer((request, response) => {
    const isHealth = request.url?.split('?')[0] === health;
    response.writeHead(isHealth ? 200 : 404, { 'content-type': 'text/plain' });
    response.end(isHealth ? 'ok\n' : 'This process works on tasks, and serves nothing.\n');
  });
  http.listen(port, host);
  await once(http, 'listening').catch(cause => {
    const reason = cause.code === 'EADDRINUSE' ? 'another program uses it' : cause.message;
    throw new CliError(`cannot listen on port ${port} for the health path: ${reason}`, {
      next: 'Choose another one with --port PORT, or leave out --port and PORT: then there is no health path.',
      exitCode: EXIT.cannotConnect,
      kind: 'cannot-listen',
      cause,
    });
  });
  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${(http.address() as AddressInfo).port}`;
  return { url: new URL(health, origin).href, close: () => http.close() };
}
