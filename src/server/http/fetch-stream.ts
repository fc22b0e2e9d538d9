import { Cancelled } from '../../base/errors.js';
import { onStandstill } from '../../base/standstill.js';
import type { Account, Evictable } from '../ledger.js';
import { MIN_UNREAD_BYTES } from '../limits.js';
import { Backlog } from './backlog.js';
import type { StreamWriter } from './exchange.js';

/** Runtimes take a whole chunk when they can send a part of it. With smaller ones, less waits where it is not counted. */
const CHUNK_BYTES = 64 * 1024;
/**
 * As the limit of the queue: the reader then is noticed whenever it takes something. workerd counts in 32 bits; a larger
 * limit would make the queue look full.
 */
const ENDLESS = 2 ** 31 - 1;

/** What the response to a request needs to know of its stream. */
export interface StreamEvents {
  /** The reader has disconnected, or was disconnected. */
  onCancel(): void;
  /** A complete response is about to end. */
  onEnd(): void;
  /** The reader has taken everything, or is gone. */
  onOver(): void;
}

/**
 * The body of a response that is sent in pieces. Output that the reader does not take is booked while it waits, and the
 * reader is disconnected when it takes nothing for a while, or when memory is full and it has waited longest.
 */
export class FetchStream implements StreamWriter, Evictable {
  readonly readable: ReadableStream<Uint8Array>;
  isOpen = true;
  wasUsed = false;
  onDrain: (() => void) | undefined;
  readonly #account: Account;
  readonly #backlog = new Backlog();
  readonly #events: StreamEvents;
  readonly #stopLooking: () => void;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #written = 0;
  #booked = 0;
  #isWriting = false;
  #isOver = false;

  /** A reader that takes nothing for `stalledMs` is disconnected. */
  constructor(account: Account, stalledMs: number, events: StreamEvents) {
    this.#account = account;
    this.#events = events;
    this.readable = new ReadableStream<Uint8Array>(
      {
        start: controller => {
          this.#controller = controller;
        },
        pull: () => this.#look(),
        cancel: () => {
          this.#finish();
          events.onCancel();
        },
      },
      { highWaterMark: ENDLESS, size: chunk => chunk.byteLength },
    );
    this.#stopLooking = onStandstill(
      () => this.#written - this.#queued,
      stalledMs,
      () => {
        if (this.#queued > 0) this.abort();
      },
    );
  }

  get isFull(): boolean {
    return this.#backlog.isTooMuch(this.#queued);
  }

  write(text: string): void {
    if (!this.isOpen) return;
    const bytes = new TextEncoder().encode(text);
    this.#written += bytes.length;
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      this.#controller.enqueue(bytes.subarray(at, at + CHUNK_BYTES));
    }
    this.#isWriting = true;
    this.#book();
    this.#isWriting = false;
  }

  /** The reader sees the end when it has taken everything. */
  end(): void {
    if (!this.isOpen) return;
    this.#events.onEnd();
    this.isOpen = false;
    if (this.#queued === 0) this.#close();
  }

  abort(): void {
    this.#controller.error(new Cancelled('the reader of this stream is too slow'));
    this.#finish();
    this.#events.onCancel();
  }

  /** Its own answer does not make a stream give way, so that a reader gets an answer of any size. */
  evict(): boolean {
    if (this.#isWriting) return false;
    this.abort();
    return true;
  }

  /** How many bytes wait. */
  get #queued(): number {
    return this.#isOver ? 0 : ENDLESS - (this.#controller.desiredSize ?? ENDLESS);
  }

  /** Called when the reader may have taken something. */
  #look(): void {
    this.#book();
    if (this.#isOver || this.#queued > 0) return;
    if (this.isOpen) this.onDrain?.();
    else this.#close();
  }

  #close(): void {
    this.#controller.close();
    this.#finish();
  }

  #finish(): void {
    this.isOpen = false;
    this.#isOver = true;
    this.#stopLooking();
    this.#book();
    this.#events.onOver();
  }

  #book(): void {
    const queued = this.#queued;
    const bytes = queued > MIN_UNREAD_BYTES ? queued : 0;
    const more = bytes - this.#booked;
    if (more === 0) return;
    const { evictable } = this.#account.ledger;
    this.#booked = bytes;
    if (bytes > 0) evictable.add(this);
    else evictable.delete(this);
    this.#account.add(more);
  }
}
