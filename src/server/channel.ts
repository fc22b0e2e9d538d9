/** The connection to the client for one request: its response stream, or the whole connection. */
export interface Channel {
  send(text: string): void;
  /** Whether so much output waits for the client that only essential messages are sent. */
  readonly isFull?: boolean;
  /** Whether nothing can be sent, now or ever again, so that no answer to a question can come. */
  readonly isClosed?: boolean;
  /** Ends the stream early; later messages are kept for a client that reconnects. */
  close?(): void;
}
