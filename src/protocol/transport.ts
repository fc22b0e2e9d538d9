import type { Awaitable } from '../base/settle.js';

/** A two-way connection to one server. */
export interface Transport {
  /**
   * Opens the connection. `receive` gets the text of each message; while a promise that it returns is pending, reading
   * should pause. `closed` is called once, when no more messages can come.
   */
  start(receive: (text: string) => Awaitable<void>, closed: (reason?: Error) => void): Promise<void>;
  /** Sends the text of one message. Rejects, or throws, if it cannot be sent. */
  send(text: string): void | Promise<void>;
  close(): Promise<void>;
}
