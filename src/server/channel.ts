/** The way to the client that belongs to one request: its response stream, or the connection. */
export interface Channel {
  send(text: string): void;
  /** Whether so much waits for the client that it is told only what it cannot do without. */
  readonly isFull?: boolean;
  /** Ends the stream early; what follows is kept for a client that comes back. */
  close?(): void;
}
