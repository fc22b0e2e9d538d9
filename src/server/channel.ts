import type { JsonObject } from '../base/json.js';

/** The connection to the client for one request: its response stream, or the whole connection. */
export interface Channel {
  /** Sends a message that has to arrive, such as a question. */
  send(text: string): void;
  /** Sends a notification of the handler. While the client reads slowly, it may be replaced or left out. */
  notify(method: string, params: JsonObject): void;
  /** Sends the notice of a change. A client that reads too slowly for it may get it later, or be disconnected. */
  announce(text: string): void;
  /** Whether nothing can be sent, now or ever again, so that no answer to a question can come. */
  readonly isClosed?: boolean;
  /** Whether the client has left, and has not reconnected for so long that it will hardly answer a question. */
  readonly isAbandoned?: boolean;
  /** Ends the stream early; later messages are kept for a client that reconnects. */
  close?(): void;
}
