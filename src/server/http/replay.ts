import {
  MAX_REPLAY_BYTES,
  MAX_REPLAY_EVENTS,
  MAX_REPLAY_STREAM_BYTES,
  MAX_REPLAY_STREAMS,
  REPLAY_MS,
  RETRY_MS,
} from '../limits.js';
import type { StreamWriter } from './exchange.js';
import { messageEvent, primingEvent } from './sse.js';

/**
 * A stream of events that outlives its connection: what was sent lately is kept, and what is sent while
 * nobody is connected too, so that a client can come back with the id of the last event that it saw.
 */
export class EventLog {
  readonly id: string;
  readonly owner: string;
  readonly #onGrowth: (bytes: number) => void;
  #events: { number: number; text: string }[] = [];
  #bytes = 0;
  #lastNumber = 0;
  #sink: StreamWriter | undefined;
  #ended = false;
  #forgotten = false;
  #detachedAt = Date.now();

  constructor(id: string, owner: string, onGrowth: (bytes: number) => void) {
    this.id = id;
    this.owner = owner;
    this.#onGrowth = onGrowth;
  }

  get isAttached(): boolean {
    return this.#sink?.isOpen ?? false;
  }

  /** Whether nobody has been connected for so long that nobody will be. */
  get isStale(): boolean {
    return !this.isAttached && Date.now() - this.#detachedAt > REPLAY_MS;
  }

  /** Whether a client that has seen the event of this number has seen all there will ever be. */
  isOver(after: number): boolean {
    return this.#ended && after >= this.#lastNumber;
  }

  append(text: string): void {
    const number = ++this.#lastNumber;
    if (!this.#forgotten) this.#keep(number, text);
    this.#sink?.write(messageEvent(text, this.#eventId(number)));
  }

  /** Connects a client; `prime` gives it an id before the first event, so that it can always come back. */
  attach(sink: StreamWriter, options: { after: number; prime: boolean }): void {
    this.#sink?.end();
    this.#sink = sink;
    const missed = this.#events.filter(({ number }) => number > options.after);
    const priming = options.prime ? primingEvent(this.#eventId(options.after), RETRY_MS) : '';
    const events = missed.map(({ number, text }) => messageEvent(text, this.#eventId(number)));
    // In one go, or a long replay would look like a reader that is too slow.
    if (priming || events.length > 0) sink.write(priming + events.join(''));
    if (this.#ended) this.detach();
  }

  /** Ends the connection but not the stream. A connection that was replaced meanwhile has no say. */
  detach(from: StreamWriter | undefined = this.#sink): void {
    if (from !== this.#sink) return;
    this.#sink = undefined;
    this.#detachedAt = Date.now();
    from?.end();
  }

  /** Nothing more will come; a client that comes back gets the rest and the end. */
  end(): void {
    this.#ended = true;
    this.detach();
  }

  /** Lets go of what was kept; whoever is connected still gets what comes. */
  forget(): void {
    this.#forgotten = true;
    this.#events = [];
    this.#grow(-this.#bytes);
  }

  #keep(number: number, text: string): void {
    this.#events.push({ number, text });
    this.#grow(text.length);
    while (this.#events.length > MAX_REPLAY_EVENTS || this.#bytes > MAX_REPLAY_STREAM_BYTES) {
      const dropped = this.#events.shift();
      if (!dropped) break;
      this.#grow(-dropped.text.length);
    }
  }

  #eventId(number: number): string {
    return `${this.id}.${number}`;
  }

  #grow(bytes: number): void {
    this.#bytes += bytes;
    this.#onGrowth(bytes);
  }
}

/** The answer to a request, or notices that belong to none. */
export type StreamKind = 'answer-' | 'notices-';

/** Whether an event came from a stream of notices, even if that is no longer known here. */
export function isFromNotices(eventId: string): boolean {
  return eventId.startsWith('notices-' satisfies StreamKind);
}

/** The event logs of a process, bounded in number of bytes and in time; the oldest go first. */
export class Replay {
  readonly #logs = new Map<string, EventLog>();
  #bytes = 0;

  /** Opens a log for `owner`, the only one who may replay it. Its ids tell of which kind it is. */
  open(owner: string, kind: StreamKind): EventLog {
    this.#dropStale();
    const log = new EventLog(kind + crypto.randomUUID(), owner, bytes => this.#grow(bytes));
    this.#logs.set(log.id, log);
    return log;
  }

  /** The log and the position that an event id of `owner` stands for. */
  find(owner: string, eventId: string): { log: EventLog; after: number } | undefined {
    const dot = eventId.lastIndexOf('.');
    const log = this.#logs.get(eventId.slice(0, dot));
    const after = Number(eventId.slice(dot + 1));
    return log && log.owner === owner && !log.isStale && Number.isSafeInteger(after)
      ? { log, after }
      : undefined;
  }

  #grow(bytes: number): void {
    this.#bytes += bytes;
    if (bytes <= 0) return;
    for (const log of this.#logs.values()) {
      if (this.#bytes <= MAX_REPLAY_BYTES) return;
      this.#drop(log);
    }
  }

  /** Looks at the two oldest. One that is being read goes behind the others, so that it hides none of them. */
  #dropStale(): void {
    for (let looked = 0; looked < 2; looked++) {
      const [log] = this.#logs.values();
      if (!log) return;
      if (log.isAttached) {
        this.#logs.delete(log.id);
        this.#logs.set(log.id, log);
      } else if (log.isStale || this.#logs.size > MAX_REPLAY_STREAMS) this.#drop(log);
      else return;
    }
  }

  #drop(log: EventLog): void {
    this.#logs.delete(log.id);
    log.forget();
  }
}
