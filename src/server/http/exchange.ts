import type { Account, NoRoom } from '../ledger.js';

/**
 * One HTTP request and its response, free of the types of any runtime. `src/node/server` and `fetch.ts` create
 * exchanges; all other code knows only this interface.
 */
export interface Exchange {
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Whether the connection came in on a loopback address; undefined where the runtime does not tell. */
  readonly isLocal: boolean | undefined;
  /** What the server holds for this connection: bodies on their way, and output that the client has not read. */
  readonly account: Account;
  /** The value of a header by its lower-case name. */
  header(name: string): string | undefined;
  /** Whether a header was sent more than once. */
  isRepeated(name: string): boolean;
  /** Reads the body as text. It takes a callback, because a promise costs a busy server a tenth of its speed. */
  readBody(limit: number, done: (body: Body) => void): void;
  /** Calls back once if the client disconnects before the response is complete. */
  onDisconnect(callback: () => void): void;
  /** Responds with JSON, or with an empty body. */
  respond(status: number, json?: string, headers?: Readonly<Record<string, string>>): void;
  /** Starts a response that is sent in pieces. */
  stream(status: number, headers: Readonly<Record<string, string>>): StreamWriter;
}

/** The text of a body, or the reason why there is none. */
export type Body = string | BodyProblem | NoRoom;

/** The response of an exchange that is being streamed. */
export interface StreamWriter {
  /** False once the client has disconnected or is too slow, or the stream was ended. */
  readonly isOpen: boolean;
  /** Whether the reader is so far behind that only messages should follow that have to arrive. */
  readonly isFull: boolean;
  /** Called when a reader that was behind has caught up. */
  onDrain: (() => void) | undefined;
  /** Queues text. A reader that takes nothing for a while is disconnected. */
  write(text: string): void;
  end(): void;
  /** Disconnects the reader, and drops the text that it has not read. */
  abort(): void;
}

/** A body could not be read to its end, or is not text. */
export class BodyProblem extends Error {
  override readonly name = 'BodyProblem';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }

  static tooLarge(limit: number): BodyProblem {
    return new BodyProblem(413, `the body is larger than ${limit} bytes`);
  }

  static notUtf8(): BodyProblem {
    return new BodyProblem(400, 'the body is not valid UTF-8');
  }

  static tooSlow(): BodyProblem {
    return new BodyProblem(408, 'the body did not arrive in time');
  }

  static cutOff(): BodyProblem {
    return new BodyProblem(400, 'the body ended early');
  }
}
