import { inBackground } from '../../base/background.js';
import { STREAM_SILENCE_MS } from '../limits.js';
import type { ClusterNode } from './node.js';

/** A connection to which the text of a stream goes. */
export interface TextSink {
  readonly isOpen: boolean;
  readonly isFull: boolean;
  onDrain: (() => void) | undefined;
  write(text: string): void;
  end(): void;
  abort(): void;
}

/** A piece of a stream on its way to another node. Their numbers show whether one is missing, or came twice. */
export interface Piece {
  readonly stream: string;
  readonly number: number;
  readonly text?: string;
  /** Set in the last piece: whether the stream has ended, or only its connection. */
  readonly end?: 'ended' | 'broken';
}

/** A client that reads a stream of this node at another node. */
export class RemoteSink implements TextSink {
  isOpen = true;
  /** The other node knows how fast the client reads, and disconnects one that is too slow. */
  readonly isFull = false;
  onDrain: (() => void) | undefined;
  readonly #node: ClusterNode;
  readonly #reader: { node: string; stream: string };
  readonly #onEnd: () => void;
  #lastNumber = 0;
  #sending = Promise.resolve();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(node: ClusterNode, reader: { node: string; stream: string }, onEnd: () => void) {
    this.#node = node;
    this.#reader = reader;
    this.#onEnd = onEnd;
    this.keep();
  }

  /** The other node still reads. If it does not say so for a while, it has ended. */
  keep(): void {
    clearTimeout(this.#timer);
    this.#timer = inBackground(setTimeout(() => this.abort(), STREAM_SILENCE_MS));
  }

  write(text: string): void {
    if (this.isOpen) this.#send({ text });
  }

  end(): void {
    this.#close('ended');
  }

  abort(): void {
    this.#close('broken');
  }

  #close(end: 'ended' | 'broken'): void {
    if (!this.isOpen) return;
    this.#send({ end });
    this.isOpen = false;
    clearTimeout(this.#timer);
    this.#onEnd();
  }

  #send(content: Pick<Piece, 'text' | 'end'>): void {
    const { node, stream } = this.#reader;
    const piece: Piece = { stream, number: ++this.#lastNumber, ...content };
    // One after the other, because a store with several connections might turn them round.
    this.#sending = this.#sending
      .then(() => this.#node.tellOne(node, 'piece', { ...piece }))
      .catch(() => this.abort());
  }
}
