import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { onStandstill } from '../../base/standstill.js';
import type { Account, Evictable } from '../../server/ledger.js';
import { MIN_UNREAD_BYTES } from '../../server/limits.js';

/**
 * The part of a response that waits because the client does not read. It is booked while it waits, and the connection
 * is closed when the client takes nothing for a while, or when memory is full and this one has waited longest.
 */
export class UnreadOutput implements Evictable {
  wasUsed = false;
  readonly #response: ServerResponse;
  readonly #socket: Socket;
  readonly #account: Account;
  readonly #stalledMs: number;
  #booked = 0;
  #stopLooking: (() => void) | undefined;

  constructor(response: ServerResponse, socket: Socket, account: Account, stalledMs: number) {
    this.#response = response;
    this.#socket = socket;
    this.#account = account;
    this.#stalledMs = stalledMs;
  }

  /** Books the output that waits now, if it is more than `min`. To be called after each write. */
  look(min = MIN_UNREAD_BYTES): void {
    const { writableLength } = this.#response;
    if (writableLength <= min && !this.#stopLooking) return;
    // A response behind others is not told that its connection has closed.
    if (this.#socket.destroyed) return;
    if (!this.#stopLooking) this.#begin();
    this.#book(writableLength);
  }

  evict(): boolean {
    this.#end();
    this.#socket.destroy();
    dropOutput(this.#response);
    return true;
  }

  #begin(): void {
    const response = this.#response;
    this.#stopLooking = onStandstill(
      () => takenBytes(this.#socket),
      this.#stalledMs,
      () => this.#socket.destroy(),
    );
    this.#account.ledger.evictable.add(this);
    const end = () => {
      response.off('drain', end).off('close', end);
      this.#end();
    };
    response.on('drain', end).on('close', end);
    if (response.closed) end();
  }

  #end(): void {
    this.#stopLooking?.();
    this.#stopLooking = undefined;
    this.#account.ledger.evictable.delete(this);
    this.#book(0);
  }

  #book(bytes: number): void {
    const more = bytes - this.#booked;
    this.#booked = bytes;
    this.#account.add(more);
  }
}

/** Node keeps the output of a response that waits for earlier ones until it notices that the connection is closed. */
function dropOutput(response: ServerResponse): void {
  const { outputData } = response as ServerResponse & { outputData?: unknown[] };
  if (response.socket === null) outputData?.splice(0);
}

/** How many bytes the system has taken from a socket. Those that it was given and has not sent yet do not count. */
function takenBytes(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { _handle?: { writeQueueSize?: number } | null };
  return socket.bytesWritten - socket.writableLength - (handle?.writeQueueSize ?? 0);
}
