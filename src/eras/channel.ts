/** The way to the client that belongs to one request: its response stream, or the connection. */
export interface Channel {
  send(text: string): void;
  /** Ends the stream early; what follows is kept for a client that comes back. */
  close?(): void;
}
