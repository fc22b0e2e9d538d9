import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { MAX_TIMER_MS } from '../../base/timers.js';
import { HEAD_MS, HEADER_BYTES } from '../../server/limits.js';
import type { OpenRequests } from './open-requests.js';

/** How often connections are checked within the idle time. */
const LOOKS = 10;
/** How often unfinished heads are counted. */
const COUNT_MS = 250;

interface Connection {
  /** Whether it ever had a request. */
  hasBegun: boolean;
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
  readonly #requests: OpenRequests;
  readonly #idleMs: number;

  /**
   * When there are more connections than `max.connections`, those that are idle longest are closed; when unfinished
   * heads take more than `max.unfinishedBytes`, the connections of the oldest ones.
   */
  constructor(
    http: Server,
    requests: OpenRequests,
    idleMs: number,
    max: { connections: number; unfinishedBytes: number },
  ) {
    this.#requests = requests;
    this.#idleMs = idleMs;
    http.keepAliveTimeout = 0;
    http.on('connection', socket => {
      this.#open.set(socket, { hasBegun: false, idleSince: undefined, bytesRead: 0, wasUsed: false });
      socket.once('close', () => this.#open.delete(socket));
      if (this.#open.size > max.connections) this.#closeOldest();
    });
    http.once('listening', () => {
      const interval = Math.min(idleMs / LOOKS, MAX_TIMER_MS);
      // After a pause of the process, requests that have arrived meanwhile are read before connections are looked at.
      const timer = setInterval(() => setImmediate(() => this.#closeIdle()), interval).unref();
      const counter = setInterval(() => this.#closeUnfinished(max.unfinishedBytes), COUNT_MS).unref();
      http.once('close', () => {
        clearInterval(timer);
        clearInterval(counter);
      });
    });
  }

  /** Notes that a connection has a request. */
  use(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (!connection) return;
    connection.hasBegun = true;
    connection.idleSince = undefined;
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
      if (!this.#isBusy(socket) && !connection.wasUsed) return void socket.destroy();
      connection.wasUsed = false;
      this.#open.set(socket, connection);
      if (++looks === LOOKS) return;
    }
  }

  #closeUnfinished(maxBytes: number): void {
    const unfinished = new Map<Socket, number>();
    let total = 0;
    for (const socket of this.#open.keys()) {
      const bytes = unfinishedHeadBytes(socket);
      if (bytes === 0) continue;
      unfinished.set(socket, bytes);
      total += bytes;
    }
    for (const [socket, bytes] of unfinished) {
      if (total <= maxBytes) return;
      total -= bytes;
      socket.destroy();
    }
  }

  #closeIdle(): void {
    const now = performance.now();
    for (const [socket, connection] of this.#open) {
      const { hasBegun, bytesRead, idleSince } = connection;
      connection.bytesRead = socket.bytesRead;
      if (hasBegun ? this.#isBusy(socket) : socket.bytesRead === 0) {
        connection.idleSince = undefined;
        continue;
      }
      if (idleSince === undefined) {
        connection.idleSince = now;
        continue;
      }
      // Bytes that are no request, such as empty lines, do not keep a connection; the head of one may be on its way.
      const mayBeHead = socket.bytesRead !== bytesRead && now - idleSince < this.#idleMs + HEAD_MS;
      if (now - idleSince >= this.#idleMs && !mayBeHead) socket.destroy();
    }
  }

  /** Whether it has a request without a response, or a response that is still being sent. */
  #isBusy(socket: Socket): boolean {
    return this.#requests.isBusy(socket) || socket.writableLength > 0;
  }
}

/** What the headers take that have arrived for a request whose head is not complete. Only node's parser knows them. */
function unfinishedHeadBytes(socket: Socket): number {
  const { parser } = socket as Socket & { parser?: { _headers?: string[] } | null };
  return ((parser?._headers?.length ?? 0) / 2) * HEADER_BYTES;
}
