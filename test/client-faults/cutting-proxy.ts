import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';

/** Where a connection is cut: after so many bytes to the server, or back from it. */
export interface Cut {
  direction: 'up' | 'down';
  after: number;
  /** Whether the client sees an orderly end, or a reset. */
  how: 'end' | 'reset';
}

/** Passes bytes on, and cuts one connection where it is told to. */
export class CuttingProxy {
  /** When the connection was cut, by `performance.now()`. */
  cutAt: number | undefined;
  readonly #sockets = new Set<Socket>();
  readonly #server = createServer({ noDelay: true }, socket => this.#accept(socket));
  readonly #target: number;
  #cut: Cut | undefined;
  /** What has passed since it was armed. */
  #passed = { up: 0, down: 0 };

  private constructor(target: number) {
    this.#target = target;
  }

  static async open(target: number): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(target);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/mcp`;
  }

  /** Counts anew, and cuts the next connection on which so many bytes pass. */
  arm(cut: Cut): void {
    this.#passed = { up: 0, down: 0 };
    this.cutAt = undefined;
    this.#cut = cut;
  }

  /** Waits until the client knows that its connection is cut, so that it does not use it again. */
  async quiet(): Promise<void> {
    for (const socket of this.#sockets) if (socket.writableEnded) await once(socket, 'close');
    await setImmediate();
    await setImmediate();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise(resolve => this.#server.close(resolve));
  }

  #accept(client: Socket): void {
    const server = connect({ port: this.#target, host: '127.0.0.1', noDelay: true });
    this.#sockets.add(client);
    const hangUp = () => {
      client.destroy();
      server.destroy();
      this.#sockets.delete(client);
    };
    for (const socket of [client, server]) socket.on('error', () => {});
    client.on('close', hangUp);
    server.on('close', () => client.end());
    client.on('data', bytes => this.#pass('up', bytes, client, server));
    server.on('data', bytes => this.#pass('down', bytes, client, server));
  }

  #pass(direction: Cut['direction'], bytes: Buffer, client: Socket, server: Socket): void {
    const before = this.#passed[direction];
    this.#passed[direction] += bytes.length;
    if (client.writableEnded) return;
    const cut = this.#cut;
    const to = direction === 'up' ? server : client;
    if (cut?.direction !== direction || this.#passed[direction] < cut.after) return void to.write(bytes);
    this.#cut = undefined;
    // What comes before the cut arrives.
    to.write(bytes.subarray(0, cut.after - before), () => {
      this.cutAt = performance.now();
      server.destroy();
      if (cut.how === 'reset') client.resetAndDestroy();
      // The socket closes when the client has seen it.
      else client.end();
    });
  }
}
