import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { onTestFinished } from 'vitest';

/** What Postgres says on a connection when it has begun to accept statements. */
const READY = Buffer.from('Z\0\0\0\u0005I', 'latin1');

/**
 * The port of a Postgres, behind which another one shuts down again and again: of its first connections every second one is
 * ended in the moment in which it is ready, with the same bytes.
 */
export async function endWhenReady(port: number, first: number): Promise<number> {
  let connections = 0;
  const server = createServer(client => {
    const isToEnd = ++connections <= first && connections % 2 === 0;
    const postgres = connect(port, '127.0.0.1');
    for (const socket of [client, postgres]) socket.on('error', () => {});
    client.pipe(postgres);
    postgres.on('close', () => client.destroy());
    postgres.on('data', bytes => {
      if (isToEnd && bytes.includes(READY)) client.end(Buffer.concat([bytes, ENDING]));
      else client.write(bytes);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

const ENDING = errorOf({
  S: 'FATAL',
  V: 'FATAL',
  C: '57P01',
  M: 'terminating connection due to administrator command',
});

function errorOf(fields: Record<string, string>): Buffer {
  const entries = Object.entries(fields).map(([name, text]) => `${name}${text}\0`);
  const body = Buffer.from(`${entries.join('')}\0`);
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
