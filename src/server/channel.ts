/** The way to the client that belongs to one request: its response stream, or the connection. */
export interface Channel {
  send(text: string): void;
  /** Whether so much waits for the client that it is told only what it cannot do without. */
  readonly isFull?: boolean;
  /** Whether nothing can be sent any more, or never could, so that no answer to a question can come. */
  readonly isClosed?: boolean;
  /** Ends the stream early; what follows is kept for a client that comes back. */
  close?(): void;
}
