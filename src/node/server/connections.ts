import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { MAX_TIMER_MS } from '../../base/timers.js';
import { HEAD_MS } from '../../server/limits.js';

/** How often connections are checked within the idle time. */
const LOOKS = 10;

interface Connection {
  /** The response to the last request, which also finishes last; undefined once it was seen to be over. */
  last: ServerResponse | undefined;
  /** Since when it has had no request; undefined until that was seen. */
  idleSince: number | undefined;
  /** The bytes read at the last check. */
  bytesRead: number;
  /** Whether it had a request since it was last looked at for being too many. */
  wasUsed: boolean;
}

/**
 * The connections of a server; idle ones are closed after a while. Node would set a timer after every response and
 * clear it before every request, which costs more than all checks of a request, so one timer checks all connections
 * now and then. Requests that never begin or never end are left to node's own limits.
 */
export class Connections {
  readonly #open = new Map<Socket, Connection>();
  readonly #idleMs: number;

  /** When there are more than `max`, those that are idle longest are closed. */
  constructor(http: Server, idleMs: number, max: number) {
    this.#idleMs = idleMs;
    http.keepAliveTimeout = 0;
    http.on('connection', socket => {
      this.#open.set(socket, { last: undefined, idleSince: undefined, bytesRead: 0, wasUsed: false });
      socket.once('close', () => this.#open.delete(socket));
      if (this.#open.size > max) this.#closeOldest();
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
    if (!connection) return;
    connection.last = response;
    connection.wasUsed = true;
  }

  /** Closes each connection as soon as its buffered output has been sent. */
  closeSoon(): void {
    for (const socket of this.#open.keys()) socket.destroySoon();
  }

  /** Looks at a few, so that the cost does not grow with their number. Those in use, or used since, move to the end. */
  #closeOldest(): void {
    let looks = 0;
    for (const [socket, connection] of this.#open) {
      this.#open.delete(socket);
      const isBusy = connection.last !== undefined && !connection.last.closed;
      if (!isBusy && !connection.wasUsed) return void socket.destroy();
      connection.wasUsed = false;
      this.#open.set(socket, connection);
      if (++looks === LOOKS) return;
    }
  }

  #closeIdle(): void {
    const now = performance.now();
    for (const [socket, connection] of this.#open) {
      const { last, bytesRead, idleSince } = connection;
      connection.bytesRead = socket.bytesRead;
      if (last ? !last.closed : socket.bytesRead === 0) continue;
      if (last || idleSince === undefined) {
        Object.assign(connection, { last: undefined, idleSince: now });
        continue;
      }
      // Bytes that are no request, such as empty lines, do not keep a connection; the head of one may be on its way.
      const mayBeHead = socket.bytesRead !== bytesRead && now - idleSince < this.#idleMs + HEAD_MS;
      if (now - idleSince >= this.#idleMs && !mayBeHead) socket.destroy();
    }
  }
}
