/** A refusal with an HTTP status, and headers that tell the client how to get access. */
export class Challenge {
  readonly status: number;
  readonly message: string;
  readonly headers: Record<string, string>;
  /** The error on this side that led to the refusal, if there was one. */
  readonly cause: unknown;

  constructor(status: number, message: string, headers: Record<string, string>, cause?: unknown) {
    this.status = status;
    this.message = message;
    this.headers = headers;
    this.cause = cause;
  }
}
