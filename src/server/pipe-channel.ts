import type { JsonObject } from '../base/json.js';
import type { NoticeRates } from '../protocol/service.js';
import type { Channel } from './channel.js';
import { PacedNotices } from './paced-notices.js';

/** The part of a connection that belongs to one request: nothing may be sent after its response. */
export class PipeChannel implements Channel {
  isClosed = false;
  readonly #send: (text: string) => void;
  readonly #isFull: () => boolean;
  readonly #behind: Set<PipeChannel>;
  readonly #announce: (text: string) => void;
  readonly #rates: NoticeRates;
  #notices: PacedNotices | undefined;

  /** `behind` are the channels with notifications that wait. */
  constructor(
    send: (text: string) => void,
    isFull: () => boolean,
    behind: Set<PipeChannel>,
    { announce, rates }: { announce: (text: string) => void; rates: NoticeRates },
  ) {
    this.#send = send;
    this.#isFull = isFull;
    this.#behind = behind;
    this.#announce = announce;
    this.#rates = rates;
  }

  send(text: string): void {
    if (!this.isClosed) this.#send(text);
  }

  notify(method: string, params: JsonObject): void {
    if (this.isClosed) return;
    this.#notices ??= new PacedNotices(this.#send, this.#isFull, this.#rates);
    this.#notices.notify(method, params);
    if (this.#isFull()) this.#behind.add(this);
  }

  announce(text: string): void {
    if (!this.isClosed) this.#announce(text);
  }

  flush(): void {
    this.#behind.delete(this);
    this.#notices?.flush();
  }

  /** Sends the notifications that wait, and then no more. */
  end(): void {
    this.flush();
    this.isClosed = true;
  }
}
