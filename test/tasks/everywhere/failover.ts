import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy on loopback that passes each connection to the first of its ports that accepts it. */
export interface Failover {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startFailover(ports: readonly number[]): Promise<Failover> {
  const sockets = new Set<Socket>();
  const server = createServer(socket => {
    sockets.add(socket.once('close', () => sockets.delete(socket)));
    socket.on('error', () => {});
    pass(socket, ports);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    stop: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

function pass(socket: Socket, [port, ...others]: readonly number[]): void {
  if (port === undefined) return void socket.destroy();
  const target = connect(port, '127.0.0.1');
  let isOpen = false;
  target.once('connect', () => {
    isOpen = true;
    socket.pipe(target).pipe(socket);
  });
  target.on('error', () => (isOpen ? socket.destroy() : pass(socket, others)));
  target.once('close', () => isOpen && socket.destroy());
  socket.once('close', () => target.destroy());
}
