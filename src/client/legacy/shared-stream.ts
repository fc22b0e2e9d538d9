import { messageOf } from '../../base/thrown.js';
import { HttpError } from '../../protocol/failures.js';
import { type ReadStream, ServerStream } from './server-stream.js';

/** The stream for messages that the server sends by itself, opened when it is first needed. All listeners share it. */
export class SharedStream {
  /** Whether the server turned out to have no such stream. */
  isMissing = false;
  readonly #read: ReadStream;
  readonly #warn: (loss: string) => void;
  #stream: ServerStream | undefined;
  /** The last warning: the same one is not repeated. */
  #toldLoss: string | undefined;

  constructor(read: ReadStream, warn: (loss: string) => void) {
    this.#read = read;
    this.#warn = warn;
  }

  /** Resolves when the stream is open or has timed out; undefined after that, and while there is no stream. */
  get opening(): Promise<void> | undefined {
    return this.#stream?.opening;
  }

  open(): ServerStream {
    if (this.#stream) return this.#stream;
    const stream = new ServerStream(this.#read);
    this.#stream = stream;
    const over = () => {
      this.isMissing = !stream.wasOpen;
      if (this.#stream === stream) this.#stream = undefined;
    };
    stream.done.then(over, error => {
      over();
      this.#failed(stream, error);
    });
    return stream;
  }

  /** Opens the stream again in a new session, which may have one. */
  restart(): void {
    this.isMissing = false;
    this.#stream?.restart();
  }

  stop(): void {
    this.#stream?.stop();
  }

  /** Nobody waits for this stream, so its failure is told. A server that answers 404 has no such stream. */
  #failed({ wasOpen }: ServerStream, error: unknown): void {
    if (error instanceof HttpError && error.status === 404) return;
    const what = wasOpen ? 'broke off' : 'could not be opened';
    const loss = `the stream for messages of the server ${what}, so messages may be missed: ${messageOf(error)}`;
    if (loss !== this.#toldLoss) this.#warn(loss);
    this.#toldLoss = loss;
  }
}
