import { type Awaitable, andThen } from '../../../base/settle.js';
import { Pace } from '../../../base/turns.js';
import { MAX_MESSAGE_BYTES } from '../../../client/limits.js';
import { LineSplitter } from '../../lines.js';
import { isUtf8 } from '../../utf8.js';

/** A message is an object, or an array of objects. */
const MESSAGE_START = /^[ \t\r]*(?:\[[ \t\r]*)?\{[ \t\r]*"/;
const MAX_QUOTED = 200;
/** The cost of reporting a line, in bytes that could be read in that time. */
const SKIP_COST = 512;
const NEWLINE = 10;

/**
 * Finds the messages in the standard output of a server. Servers and their libraries print all sorts of things there;
 * lines that are not messages are skipped and reported.
 */
export class MessageReader {
  readonly #lines: LineSplitter;
  readonly #onProblem: (problem: Error) => void;
  readonly #pace = new Pace();
  #isWithinLine = false;

  constructor(receive: (text: string) => Awaitable<void>, onProblem: (problem: Error) => void) {
    this.#onProblem = onProblem;
    const skip = (reason: string) => {
      onProblem(new Error(`skipped a line on the server's stdout: ${reason}`));
      return this.#pace.spend(SKIP_COST);
    };
    this.#lines = new LineSplitter({
      maxBytes: MAX_MESSAGE_BYTES,
      onOverflow: () => void skip(`it is longer than ${MAX_MESSAGE_BYTES} bytes`),
      onLine: line => {
        if (!isUtf8(line)) return skip('it is not valid UTF-8');
        const text = line.toString('utf8');
        if (MESSAGE_START.test(text)) return receive(text);
        if (text.trim() !== '')
          return skip(`it is not a message: ${JSON.stringify(text.slice(0, MAX_QUOTED))}`);
      },
    });
  }

  /** The caller must wait for the returned promise before it pushes the next chunk. */
  push(chunk: Buffer): Awaitable<void> {
    this.#isWithinLine = chunk[chunk.length - 1] !== NEWLINE;
    return andThen(this.#lines.push(chunk), () => this.#pace.spend(chunk.length));
  }

  /** Called when the server has exited. A line without an end is half a message, even if it looks complete. */
  end(): void {
    if (this.#isWithinLine)
      this.#onProblem(new Error('the server ended in the middle of a line on its stdout'));
  }
}
