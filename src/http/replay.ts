import type { StreamWriter } from './exchange.js';
import { messageEvent, primingEvent } from './sse.js';

const MAX_EVENTS = 1000;
const MAX_STREAM_BYTES = 1024 * 1024;
const MAX_TOTAL_BYTES = 64 * 1024 * 1024;
const KEEP_MS = 5 * 60_000;
const RETRY_MS = 1000;

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
  #detachedAt = Date.now();

  constructor(id: string, owner: string, onGrowth: (bytes: number) => void) {
    this.id = id;
    this.owner = owner;
    this.#onGrowth = onGrowth;
  }

  get isAttached(): boolean {
    return this.#sink?.isOpen ?? false;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Whether nobody has been connected for so long that nobody will be. */
  get isStale(): boolean {
    return !this.isAttached && Date.now() - this.#detachedAt > KEEP_MS;
  }

  append(text: string): void {
    const number = ++this.#lastNumber;
    this.#events.push({ number, text });
    this.#grow(text.length);
    while (this.#events.length > MAX_EVENTS || this.#bytes > MAX_STREAM_BYTES) {
      const dropped = this.#events.shift();
      if (!dropped) break;
      this.#grow(-dropped.text.length);
    }
    this.#sink?.write(messageEvent(text, this.#eventId(number)));
  }

  /** Connects a client; `prime` gives it an id before the first event, so that it can always come back. */
  attach(sink: StreamWriter, options: { after: number; prime: boolean }): void {
    this.#sink?.end();
    this.#sink = sink;
    if (options.prime) sink.write(primingEvent(this.#eventId(options.after), RETRY_MS));
    for (const { number, text } of this.#events) {
      if (number > options.after) sink.write(messageEvent(text, this.#eventId(number)));
    }
    if (this.#ended) this.detach();
  }

  /** Ends the connection but not the stream. */
  detach(): void {
    const sink = this.#sink;
    this.#sink = undefined;
    this.#detachedAt = Date.now();
    sink?.end();
  }

  /** Nothing more will come; a client that comes back gets the rest and the end. */
  end(): void {
    this.#ended = true;
    this.detach();
  }

  #eventId(number: number): string {
    return `${this.id}.${number}`;
  }

  #grow(bytes: number): void {
    this.#bytes += bytes;
    this.#onGrowth(bytes);
  }
}

/** The event logs of a process, bounded in number of bytes and in time; the oldest go first. */
export class Replay {
  readonly #logs = new Map<string, EventLog>();
  #bytes = 0;

  /** Opens a log for `owner`, the only one who may replay it. */
  open(owner: string): EventLog {
    this.#dropStale();
    const log = new EventLog(crypto.randomUUID(), owner, bytes => this.#grow(bytes));
    this.#logs.set(log.id, log);
    return log;
  }

  /** The log and the position that an event id of `owner` stands for. */
  find(owner: string, eventId: string): { log: EventLog; after: number } | undefined {
    const dot = eventId.lastIndexOf('.');
    const log = this.#logs.get(eventId.slice(0, dot));
    const after = Number(eventId.slice(dot + 1));
    return log && log.owner === owner && !log.isStale && Number.isSafeInteger(after) ? { log, after } : undefined;
  }

  #grow(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes <= MAX_TOTAL_BYTES) return;
    for (const log of this.#logs.values()) {
      if (this.#bytes <= MAX_TOTAL_BYTES) return;
      this.#drop(log);
    }
  }

  #dropStale(): void {
    for (const log of this.#logs.values()) {
      if (!log.isStale) return;
      this.#drop(log);
    }
  }

  #drop(log: EventLog): void {
    this.#logs.delete(log.id);
    this.#bytes -= log.bytes;
  }
}
