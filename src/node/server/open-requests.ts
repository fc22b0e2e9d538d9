import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Account, Evictable, Ledger, NoRoom } from '../../server/ledger.js';
import { HEADER_BYTES, REQUEST_BYTES } from '../../server/limits.js';
import { afterTurn } from './after-turn.js';

/** A request with headers of up to 4 KiB may be kept with an idle connection. */
const SMALL_HEAD = REQUEST_BYTES + 4096;

/** Tells whether the body of a request was read to its end. Node notes that only after it has handed over the last piece. */
export interface BodyProgress {
  readonly hasWholeBody: boolean;
}

type OnUnread = (request: IncomingMessage, response: ServerResponse) => void;

/** The head of a request, and the account that is charged for it. */
interface Head {
  readonly account: Account;
  readonly bytes: number;
}

/** The requests on one connection that are not over yet. */
interface OpenConnection {
  /** Their responses and their heads. */
  readonly open: Map<ServerResponse, Head>;
  isClosed: boolean;
}

/**
 * Counts the requests that are not over yet, and the memory of their heads: node keeps all headers of a request until
 * its response is sent, and they may take ten times their text. A client may send requests without waiting for
 * responses, so there may be many on one connection.
 */
export class OpenRequests {
  readonly #connections = new WeakMap<Socket, OpenConnection>();
  readonly #onUnread: OnUnread;

  /** `onUnread` is called with each response that is complete, but that the client does not take at once. */
  constructor(onUnread: OnUnread) {
    this.#onUnread = onUnread;
  }

  /** Whether a connection has a request that is not over. */
  isBusy(socket: Socket): boolean {
    return (this.#connections.get(socket)?.open.size ?? 0) > 0;
  }

  /**
   * Responds to a request, and counts it until it is over; `account` is charged for its head. Returns the error if there
   * is no memory for that; then `respond` was not called.
   */
  take(
    request: IncomingMessage,
    response: ServerResponse,
    body: BodyProgress,
    account: Account,
    respond: () => void,
  ): NoRoom | undefined {
    const connection = this.#find(request.socket);
    const bytes = headBytes(request.rawHeaders);
    const refusal = account.refusal(bytes);
    if (refusal) return refusal;
    respond();
    // Most requests are answered by then, and nothing has to be counted.
    afterTurn(() => {
      if (connection.isClosed) return;
      if (isOver(request, response, body)) return void (bytes > SMALL_HEAD && forget(request));
      holdUntilOver(connection, request, response, { account, bytes });
      if (response.writableEnded && response.writableLength > 0) this.#onUnread(request, response);
    });
    return undefined;
  }

  /** Gives back the memory of a request whose connection is being closed. */
  release({ socket }: IncomingMessage, response: ServerResponse): void {
    release(this.#find(socket), response);
  }

  #find(socket: Socket): OpenConnection {
    const known = this.#connections.get(socket);
    if (known) return known;
    const connection = { open: new Map<ServerResponse, Head>(), isClosed: false };
    this.#connections.set(socket, connection);
    socket.once('close', () => close(connection));
    return connection;
  }
}

function close(connection: OpenConnection): void {
  const { open } = connection;
  const waiting = [...open.keys()].filter(response => response.socket === null);
  connection.isClosed = true;
  for (const { account, bytes } of open.values()) account.remove(bytes);
  open.clear();
  // Node does not tell responses that wait for earlier ones, and their calls would go on for nobody.
  for (const response of waiting) response.emit('close');
}

function holdUntilOver(
  connection: OpenConnection,
  request: IncomingMessage,
  response: ServerResponse,
  head: Head,
): void {
  const { account, bytes } = head;
  connection.open.set(response, head);
  account.add(bytes);
  const end = () => {
    release(connection, response);
    forget(request);
  };
  // The rest of a refused body may still be on its way.
  const endAfterBody = () => {
    if (request.complete || request.destroyed) end();
    else endWithBody(request, account.ledger, end);
  };
  // Node notes the end of the body that it has handed over a moment later.
  const endSoon = () => (request.complete ? end() : setImmediate(endAfterBody));
  if (response.closed) endSoon();
  else response.once('close', endSoon);
}

/** Calls back when the rest of a body was read. If its memory is needed before that, the connection is closed. */
function endWithBody(request: IncomingMessage, { evictable }: Ledger, end: () => void): void {
  const waiting: Evictable = {
    wasUsed: false,
    evict() {
      end();
      request.socket.destroy();
      return true;
    },
  };
  evictable.add(waiting);
  request.once('close', () => {
    evictable.delete(waiting);
    end();
  });
}

/** An idle connection keeps its last request, unless the end of that was read. */
function forget(request: IncomingMessage): void {
  request.resume();
}

function release({ open }: OpenConnection, response: ServerResponse): void {
  const head = open.get(response);
  open.delete(response);
  head?.account.remove(head.bytes);
}

/** Whether the response is sent, and the body was read. A response may have to wait for earlier ones, or for its reader. */
function isOver(request: IncomingMessage, response: ServerResponse, body: BodyProgress): boolean {
  const { socket } = response;
  const isSent =
    response.writableFinished || (response.writableEnded && socket !== null && socket.writableLength === 0);
  return isSent && (request.complete || body.hasWholeBody);
}

/** The memory that a request takes beside its body. */
function headBytes(rawHeaders: readonly string[]): number {
  let bytes = REQUEST_BYTES + (rawHeaders.length / 2) * HEADER_BYTES;
  for (let at = 0; at < rawHeaders.length; at++) bytes += (rawHeaders[at] as string).length;
  return bytes;
}
