import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** How exactly the time is kept for which a connection may be idle. */
const LOOKS = 5;
/** Timers take no more. */
const MAX_INTERVAL = 2 ** 31 - 1;

interface Connection {
  /** The response to the last request that came, which is the last to be finished, too. */
  last: ServerResponse | undefined;
  /** The same when it was looked at, and since when it has been finished. */
  seen: ServerResponse | undefined;
  idleSince: number;
}

/**
 * The connections of a server. Those that nobody uses are closed after a while: node would set a timer after every
 * response and clear it before every request, which costs more than all checks of a request. Here all are looked
 * at now and then. Connections on which a request never came, or came in part, are left to node's own limits.
 */
export class Connections {
  readonly #open = new Map<Socket, Connection>();
  readonly #idleMs: number;
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(http: Server, idleMs: number) {
    this.#idleMs = idleMs;
    http.keepAliveTimeout = 0;
    http.on('connection', socket => {
      this.#open.set(socket, { last: undefined, seen: undefined, idleSince: 0 });
      socket.once('close', () => this.#open.delete(socket));
    });
    this.#timer = setInterval(() => this.#closeIdle(), Math.min(idleMs / LOOKS, MAX_INTERVAL)).unref();
    http.once('close', () => clearInterval(this.#timer));
  }

  /** Notes that a request came. */
  use(socket: Socket, response: ServerResponse): void {
    const connection = this.#open.get(socket);
    if (connection) connection.last = response;
  }

  /** Closes all as soon as what was written has been sent. */
  closeSoon(): void {
    for (const socket of this.#open.keys()) socket.destroySoon();
  }

  #closeIdle(): void {
    const now = performance.now();
    for (const [socket, connection] of this.#open) {
      const { last, seen, idleSince } = connection;
      if (!last?.closed) continue;
      if (last !== seen) Object.assign(connection, { seen: last, idleSince: now });
      else if (now - idleSince >= this.#idleMs) socket.destroy();
    }
  }
}
