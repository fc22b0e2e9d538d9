import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A bad network on loopback, between tests and a service. */
export interface BadNetwork {
  readonly port: number;
  /** From now on, what is sent arrives so much later, in both directions. */
  delay(ms: number): void;
  /** Nothing arrives on the connections that are open now, or are opened until it is mended, and no side is told. */
  cut(): void;
  /** Lets new connections pass. Those that were cut stay so. */
  mend(): void;
  /** Ends all connections, and refuses new ones, as if the service had ended. */
  close(): Promise<void>;
  /** Lets connections pass again. */
  open(): Promise<void>;
  stop(): Promise<void>;
}

/** Passes connections on to a port, as well as the network can at the time. */
export async function startBadNetwork(target: number): Promise<BadNetwork> {
  const network = new Network();
  const server = createServer(socket => network.join(socket, connect(target, '127.0.0.1')));
  const open = async (port: number) => {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  };
  await open(0);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    delay: ms => {
      network.delayMs = ms;
    },
    cut: () => network.cut(),
    mend: () => {
      network.isCut = false;
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      network.end();
      await closed;
    },
    open: () => open(port),
    stop: async () => {
      server.close();
      network.end();
    },
  };
}

class Network {
  delayMs = 0;
  isCut = false;
  readonly #sockets = new Set<Socket>();
  readonly #dead = new WeakSet<Socket>();

  join(one: Socket, other: Socket): void {
    this.#relay(one, other);
    this.#relay(other, one);
    if (this.isCut) this.cut();
  }

  cut(): void {
    this.isCut = true;
    for (const socket of this.#sockets) this.#dead.add(socket);
  }

  end(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #relay(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    let last = Promise.resolve();
    const pass = (action: () => void) => {
      const passed = new Promise(resolve => setTimeout(resolve, this.delayMs));
      last = last.then(async () => {
        await passed;
        if (!this.#dead.has(from)) action();
      });
    };
    from.on('data', chunk => pass(() => to.write(chunk)));
    from.on('error', () => {});
    from.on('close', () => {
      this.#sockets.delete(from);
      pass(() => to.destroy());
    });
  }
}
