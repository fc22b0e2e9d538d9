import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { MAX_TIMER_MS } from '../../base/timers.js';

/** How often connections are checked within the idle time. */
const LOOKS = 10;

interface Connection {
  /** The response to the last request, which also finishes last; undefined once it was seen to be over. */
  last: ServerResponse | undefined;
  /** The bytes read at the last check, and the time since when no more have come. */
  bytesRead: number;
  idleSince: number;
}

/**
 * The connections of a server; idle ones are closed after a while. Node would set a timer after every response and
 * clear it before every request, which costs more than all checks of a request, so one timer checks all connections
 * now and then. Requests that never begin or never end are left to node's own limits.
 */
export class Connections {
  readonly #open = new Map<Socket, Connection>();
  readonly #idleMs: number;

  constructor(http: Server, idleMs: number) {
    this.#idleMs = idleMs;
    http.keepAliveTimeout = 0;
    http.on('connection', socket => {
      this.#open.set(socket, { last: undefined, bytesRead: 0, idleSince: 0 });
      socket.once('close', () => this.#open.delete(socket));
    });
    http.once('listening', () => {
      const interval = Math.min(idleMs / LOOKS, MAX_TIMER_MS);
      const timer = setInterval(() => this.#closeIdle(), interval).unref();
      http.once('close', () => clearInterval(timer));
    });
  }

  /** Notes that a connection is in use until a response is over. */
  use(socket: Socket, response: ServerResponse): void {
    const connection = this.#open.get(socket);
    if (connection) connection.last = response;
  }

  /** Closes each connection as soon as its buffered output has been sent. */
  closeSoon(): void {
    for (const socket of this.#open.keys()) socket.destroySoon();
  }

  #closeIdle(): void {
    const now = performance.now();
    for (const [socket, connection] of this.#open) {
      const { last, bytesRead, idleSince } = connection;
      const isQuiet = last ? last.closed : socket.bytesRead > 0;
      if (!isQuiet) continue;
      if (last || socket.bytesRead !== bytesRead) {
        Object.assign(connection, { last: undefined, bytesRead: socket.bytesRead, idleSince: now });
      } else if (now - idleSince >= this.#idleMs) socket.destroy();
    }
  }
}
