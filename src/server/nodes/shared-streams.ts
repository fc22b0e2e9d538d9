import type { LogEntry } from '../cluster/cluster.js';
import { MAX_REPLAY_EVENTS, MAX_REPLAY_STREAM_BYTES, REPLAY_MS } from '../limits.js';
import { positionOf } from './event-position.js';
import type { ClusterNode } from './node.js';
import { OutsideElsewhere } from './outside-elsewhere.js';
import { type Piece, RemoteSink, type TextSink } from './remote-sink.js';
import { RemoteStream } from './remote-stream.js';

/** A stream of this node that a client may resume at another one. */
export interface ResumableStream {
  isOver(after: number): boolean;
  countLost(after: number): number;
  attach(sink: TextSink, options: { after: number; prime: boolean }): void;
  detach(sink: TextSink): void;
}

/** The streams of this node. */
export interface StreamsHere {
  /** The stream and the position of an event of a session. */
  findStream(serial: string, eventId: string): { log: ResumableStream; after: number } | undefined;
  /** Sends a message to the client of a session outside of its requests. False if the client has no stream here. */
  sendOutside(serial: string, text: string | undefined): boolean;
  /** Ends the streams of a session for messages outside of requests: its client has opened another one elsewhere. */
  silence(serial: string): void;
}

/** What another node has of a stream. */
export type Found =
  | { kind: 'over' }
  /** The node goes on with it; `lost` events are no longer kept. */
  | { kind: 'open'; stream: RemoteStream; lost: number }
  /** The node has closed, and left these events. */
  | { kind: 'left'; events: readonly LogEntry[] };

/** Lets clients resume streams at any node, and reaches them outside of requests through whichever node they listen at. */
export class SharedStreams {
  /** Begins the ids of the streams of this node, after their kind. */
  readonly prefix: string;
  readonly #node: ClusterNode;
  readonly #sinks = new Map<string, { sink: RemoteSink; log: ResumableStream }>();
  readonly #reading = new Map<string, RemoteStream>();
  readonly #ends: readonly (() => void)[];
  #lastStream = 0;

  constructor(node: ClusterNode, here: StreamsHere) {
    this.#node = node;
    this.prefix = `${node.id}.`;
    this.#ends = [
      node.on('resume', (content, from) => this.#resumed(here, from, content as unknown as Resumption)),
      node.on('beat', ({ stream }) => {
        const found = this.#sinks.get(stream as string);
        found?.sink.keep();
        return found && {};
      }),
      node.on('left', ({ stream }) => {
        const found = this.#sinks.get(stream as string);
        found?.log.detach(found.sink);
        return undefined;
      }),
      node.on('piece', content => {
        const piece = content as unknown as Piece;
        this.#reading.get(piece.stream)?.take(piece);
        return undefined;
      }),
      node.on('listening', ({ serial }) => {
        here.silence(serial as string);
        return undefined;
      }),
      node.on('outside', ({ serial, text }) =>
        here.sendOutside(serial as string, text as string | undefined) ? { node: node.id } : undefined,
      ),
      // Pieces may be missing. Clients come back, and get them.
      node.onGap(() => {
        for (const stream of [...this.#reading.values()]) stream.break();
      }),
    ];
  }

  /** Finds the stream of an event at the node that has it; undefined if that is this node, or it is no longer kept. */
  async resume(serial: string, event: string, prime: boolean): Promise<Found | undefined> {
    const [, id = '', owner = ''] = /^((?:answer|notices)-([0-9a-f]{16})\..+)\.\d+$/.exec(event) ?? [];
    if (owner === '' || owner === this.#node.id) return undefined;
    const name = `${this.#node.id}-${++this.#lastStream}`;
    const stream = new RemoteStream(this.#node, owner, name, () => this.#reading.delete(name));
    this.#reading.set(name, stream);
    const resumption: Resumption = { serial, event, stream: name, prime };
    const answer = await this.#node.ask(owner, 'resume', { ...resumption }).catch(() => undefined);
    if (answer?.lost !== undefined) return { kind: 'open', stream, lost: answer.lost as number };
    stream.leave();
    if (answer) return { kind: 'over' };
    const after = positionOf(event);
    const events = await this.#node.use(cluster =>
      cluster.readLog(this.#node.names.stream(`${serial}:${id}`), after),
    );
    return events && { kind: 'left', events };
  }

  /** Tells the other nodes that the client of a session listens here now. */
  listensHere(serial: string): void {
    this.#node.tell('listening', { serial }).catch(() => {
      // Then the client may have two streams, and some notices come twice.
    });
  }

  /** The way to a client that listens at another node. */
  outside(serial: string): OutsideElsewhere {
    return new OutsideElsewhere(this.#node, serial);
  }

  /** Leaves the events of a stream to the other nodes, because this one closes. */
  async handOver(stream: { id: string; owner: string }, events: readonly LogEntry[]): Promise<void> {
    const log = this.#node.names.stream(`${stream.owner}:${stream.id}`);
    await this.#node.use(cluster =>
      cluster.append(log, events, {
        expiresAt: Date.now() + REPLAY_MS,
        maxEntries: MAX_REPLAY_EVENTS,
        maxBytes: MAX_REPLAY_STREAM_BYTES,
      }),
    );
  }

  close(): void {
    for (const end of this.#ends) end();
    for (const stream of [...this.#reading.values()]) stream.break();
  }

  #resumed(here: StreamsHere, node: string, { serial, event, stream, prime }: Resumption) {
    const found = here.findStream(serial, event);
    if (!found) return undefined;
    const { log, after } = found;
    if (log.isOver(after)) return {};
    const lost = log.countLost(after);
    // The store may deliver a message twice.
    if (this.#sinks.has(stream)) return { lost };
    const sink = new RemoteSink(this.#node, { node, stream }, () => this.#sinks.delete(stream));
    this.#sinks.set(stream, { sink, log });
    log.attach(sink, { after, prime });
    return { lost };
  }
}

/** Asks the owner of a stream to send it, under a name that the asking node has chosen. */
interface Resumption {
  readonly serial: string;
  readonly event: string;
  readonly stream: string;
  readonly prime: boolean;
}
