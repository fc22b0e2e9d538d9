import type { Account, Evictable, Ledger } from '../ledger.js';
import {
  ABANDONED_MS,
  EVENT_BYTES,
  HANDED_OVER_MS,
  MAX_REPLAY_BYTES,
  MAX_REPLAY_EVENTS,
  MAX_REPLAY_SHARE,
  MAX_REPLAY_STREAM_BYTES,
  MAX_REPLAY_STREAMS,
  REPLAY_MS,
  RETRY_MS,
} from '../limits.js';
import { ATTACHMENT, positionOf } from '../nodes/event-position.js';
import type { StreamWriter } from './exchange.js';
import { HEARTBEAT, messageEvent } from './sse.js';

/**
 * A stream of events that outlives its connection. It keeps recent events, including those sent while no client is
 * connected, so that a client can resume with the id of the last event that it saw.
 */
export class EventLog implements Evictable {
  readonly id: string;
  readonly owner: string;
  wasUsed = true;
  /** Called when the client has caught up. */
  onDrain: (() => void) | undefined;
  readonly #account: Account;
  readonly #onGrowth: (bytes: number) => void;
  readonly #onEvict: (log: EventLog) => void;
  #events: { number: number; text: string }[] = [];
  #bytes = 0;
  #lastNumber = 0;
  #attachments = 0;
  #sink: StreamWriter | undefined;
  #ended = false;
  #endedAlone = false;
  #forgotten = false;
  #detachedAt = Date.now();

  constructor(
    id: string,
    owner: string,
    account: Account,
    callbacks: { onGrowth: (bytes: number) => void; onEvict: (log: EventLog) => void },
  ) {
    this.id = id;
    this.owner = owner;
    this.#account = account;
    this.#onGrowth = callbacks.onGrowth;
    this.#onEvict = callbacks.onEvict;
  }

  /** The events that are kept, oldest first. */
  get events(): readonly { readonly number: number; readonly text: string }[] {
    return this.#events;
  }

  get isAttached(): boolean {
    return this.#sink?.isOpen ?? false;
  }

  /** Whether the stream has ended, and its client may not have read the end: it was away, or its connection broke then. */
  get isUnread(): boolean {
    return this.#ended && (this.#endedAlone || Date.now() - this.#detachedAt < HANDED_OVER_MS);
  }

  /** Whether no client has been connected for so long that none will resume the stream. */
  get isStale(): boolean {
    return !this.isAttached && Date.now() - this.#detachedAt > REPLAY_MS;
  }

  /** Whether a connected client is far behind. For one that has left, the last events are kept. */
  get isFull(): boolean {
    return this.#sink?.isOpen === true && this.#sink.isFull;
  }

  /** Whether the client has left, and has not reconnected although it should have. */
  get isAbandoned(): boolean {
    return !this.isAttached && Date.now() - this.#detachedAt > ABANDONED_MS;
  }

  /** Whether the stream has ended and this number is its last event. */
  isOver(after: number): boolean {
    return this.#ended && after >= this.#lastNumber;
  }

  /** How many events after this number are no longer kept. */
  countLost(after: number): number {
    const firstKept = this.#events[0]?.number ?? this.#lastNumber + 1;
    return Math.max(0, firstKept - after - 1);
  }

  append(text: string): void {
    const number = ++this.#lastNumber;
    this.wasUsed = true;
    if (!this.#forgotten) this.#keep(number, text);
    this.#sink?.write(messageEvent(text, this.#eventId(number)));
  }

  /** Appends the notice of a change. A client that reads too slowly is disconnected, and can resume. */
  announce(text: string): void {
    if (this.#sink?.isFull) this.#sink.abort();
    this.append(text);
  }

  /**
   * Connects a client; `prime` sends it an id before the first event, so that it can always resume. `notice` is a
   * message for this client alone, before the events.
   */
  attach(sink: StreamWriter, options: { after: number; prime: boolean; notice?: string | undefined }): void {
    this.#sink?.end();
    this.#sink = sink;
    this.wasUsed = true;
    sink.onDrain = () => this.onDrain?.();
    const missed = this.#events.filter(({ number }) => number > options.after);
    const primed = options.after + this.#attachments++ * ATTACHMENT;
    const priming = options.prime ? primingEvent(this.#eventId(primed), RETRY_MS) : '';
    const notice = options.notice === undefined ? '' : messageEvent(options.notice);
    const events = missed.map(({ number, text }) => messageEvent(text, this.#eventId(number)));
    // In one write, because another event may follow in this turn. Bun sends no headers before the first bytes.
    sink.write(priming + notice + events.join('') || HEARTBEAT);
    if (this.#ended) this.detach();
  }

  /** Ends the connection but not the stream. Does nothing for a connection that was replaced meanwhile. */
  detach(from: StreamWriter | undefined = this.#sink): void {
    if (from !== this.#sink) return;
    this.#sink = undefined;
    this.#detachedAt = Date.now();
    from?.end();
  }

  /** Ends the stream. A client that resumes it gets the remaining events and the end. */
  end(): void {
    this.#ended = true;
    this.#endedAlone = !this.isAttached;
    this.detach();
  }

  evict(): boolean {
    this.#onEvict(this);
    return true;
  }

  /** Drops the kept events. A connected client still gets new ones. */
  forget(): void {
    this.#forgotten = true;
    this.#events = [];
    this.#grow(-this.#bytes);
  }

  #keep(number: number, text: string): void {
    this.#events.push({ number, text });
    this.#grow(text.length + EVENT_BYTES);
    while (this.#events.length > MAX_REPLAY_EVENTS || this.#bytes > MAX_REPLAY_STREAM_BYTES) {
      const dropped = this.#events.shift();
      if (!dropped) break;
      this.#grow(-dropped.text.length - EVENT_BYTES);
    }
  }

  #eventId(number: number): string {
    return `${this.id}.${number}`;
  }

  #grow(bytes: number): void {
    this.#bytes += bytes;
    this.#account.add(bytes);
    this.#onGrowth(bytes);
  }
}

/** A stream carries the response to a request, or notifications that belong to no request. */
export type StreamKind = 'answer-' | 'notices-';

/** Whether an event came from a notification stream, even if that stream is no longer known here. */
export function isFromNotices(eventId: string): boolean {
  return eventId.startsWith('notices-' satisfies StreamKind);
}

/** The event logs of a process, limited in bytes, number and time; the oldest are dropped first. */
export class Replay {
  readonly #logs = new Map<string, EventLog>();
  readonly #ledger: Ledger;
  readonly #limit: number;
  /** Begins the ids of logs, after their kind. */
  readonly #prefix: string;
  readonly #callbacks = {
    onGrowth: (bytes: number) => this.#grow(bytes),
    onEvict: (log: EventLog) => this.#drop(log),
  };
  #bytes = 0;

  constructor(ledger: Ledger, prefix = '') {
    this.#prefix = prefix;
    this.#ledger = ledger;
    this.#limit = Math.min(MAX_REPLAY_BYTES, ledger.limit * MAX_REPLAY_SHARE);
  }

  /**
   * Opens a log for `owner`, the only session that may resume it; `account` is charged for it. The log's id begins with
   * its kind.
   */
  open(owner: string, kind: StreamKind, account: Account): EventLog {
    this.#dropStale();
    const log = new EventLog(kind + this.#prefix + crypto.randomUUID(), owner, account, this.#callbacks);
    this.#logs.set(log.id, log);
    this.#ledger.evictable.add(log);
    return log;
  }

  /** The log and the position of an event id of `owner`. */
  find(owner: string, eventId: string): { log: EventLog; after: number } | undefined {
    const dot = eventId.lastIndexOf('.');
    const log = this.#logs.get(eventId.slice(0, dot));
    const after = positionOf(eventId);
    return log && log.owner === owner && !log.isStale && Number.isSafeInteger(after) && after >= 0
      ? { log, after }
      : undefined;
  }

  /** The logs whose end their clients may not have read. */
  *unread(): Iterable<EventLog> {
    for (const log of this.#logs.values()) if (log.isUnread && !log.isStale) yield log;
  }

  #grow(bytes: number): void {
    this.#bytes += bytes;
    if (bytes <= 0) return;
    for (const log of this.#logs.values()) {
      if (this.#bytes <= this.#limit) return;
      this.#drop(log);
    }
  }

  /** Checks the two oldest logs. A log that is being read moves to the end, so that it does not hide the others. */
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
    this.#ledger.evictable.delete(log);
    log.forget();
  }
}

/** An empty event that gives the client an id to resume with, and the time to wait before that. */
export function primingEvent(id: string, retryMs: number): string {
  return `id: ${id}\nretry: ${retryMs}\ndata: \n\n`;
}
