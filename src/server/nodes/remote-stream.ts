import { inBackground } from '../../base/background.js';
import { STREAM_BEAT_MS } from '../limits.js';
import type { ClusterNode } from './node.js';
import type { Piece, TextSink } from './remote-sink.js';

/** A stream of another node that a client reads here. */
export class RemoteStream {
  readonly #node: ClusterNode;
  readonly #owner: string;
  readonly #name: string;
  readonly #onEnd: () => void;
  readonly #waiting: Piece[] = [];
  readonly #timer: ReturnType<typeof setInterval>;
  #sink: TextSink | undefined;
  #lastNumber = 0;
  #isOver = false;

  /** `owner` is the node that has the stream. */
  constructor(node: ClusterNode, owner: string, name: string, onEnd: () => void) {
    this.#node = node;
    this.#owner = owner;
    this.#name = name;
    this.#onEnd = onEnd;
    this.#timer = inBackground(setInterval(() => void this.#beat(), STREAM_BEAT_MS));
  }

  /** Shows the stream on a connection. `prelude` comes first. */
  show(sink: TextSink, prelude = ''): void {
    this.#sink = sink;
    if (prelude) sink.write(prelude);
    for (const piece of this.#waiting.splice(0)) this.#write(piece);
  }

  take(piece: Piece): void {
    // The store may deliver a message twice.
    if (piece.number <= this.#lastNumber) return;
    if (piece.number > this.#lastNumber + 1) return this.break();
    this.#lastNumber = piece.number;
    if (this.#sink) this.#write(piece);
    else this.#waiting.push(piece);
  }

  /** The client has left. */
  leave(): void {
    if (!this.#finish()) return;
    this.#node.tellOne(this.#owner, 'left', { stream: this.#name }).catch(() => {
      // The owner notices that nobody reads.
    });
  }

  /** Ends the connection but not the stream: its client comes back. */
  break(): void {
    this.leave();
    this.#sink?.abort();
  }

  #write({ text, end }: Piece): void {
    if (text !== undefined) this.#sink?.write(text);
    if (end === undefined) return;
    this.#finish();
    if (end === 'ended') this.#sink?.end();
    else this.#sink?.abort();
  }

  async #beat(): Promise<void> {
    const answer = await this.#node.ask(this.#owner, 'beat', { stream: this.#name }).catch(() => undefined);
    if (!answer && !this.#isOver) this.break();
  }

  /** Returns whether it was not over yet. */
  #finish(): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    clearInterval(this.#timer);
    this.#onEnd();
    return true;
  }
}
