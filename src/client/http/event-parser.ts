import type { Awaitable } from '../../base/settle.js';

/** One server-sent event, with the fields that MCP uses. */
export interface ServerEvent {
  name: string | undefined;
  data: string;
  id: string | undefined;
}

/**
 * Parses the events in a stream of text, in time and memory linear in its length, whatever the chunks and the content.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
export class EventParser {
  /** How many characters belong to an event that is not complete yet. */
  size = 0;
  readonly #onEvent: (event: ServerEvent) => Awaitable<void>;
  readonly #onRetry: (ms: number) => void;
  readonly #begun = new Parts('');
  readonly #data = new Parts('\n');
  #name: string | undefined;
  #id: string | undefined;
  #wasReturn = false;

  /** If `onEvent` returns a promise, the parser waits for it before the next event. */
  constructor(onEvent: (event: ServerEvent) => Awaitable<void>, onRetry: (ms: number) => void) {
    this.#onEvent = onEvent;
    this.#onRetry = onRetry;
  }

  /** The caller must wait for the returned promise before it feeds the next text. */
  feed(text: string): Awaitable<void> {
    const unified = this.#unify(text);
    this.size += unified.length;
    if (unified !== '') this.#begun.add(unified);
    if (unified.includes('\n')) return this.#readLines(this.#begun.take(), 0);
  }

  #readLines(lines: string, from: number): Awaitable<void> {
    let start = from;
    for (let end = lines.indexOf('\n', start); end >= 0; end = lines.indexOf('\n', start)) {
      const isEmpty = start === end;
      if (!isEmpty) this.#readLine(lines.slice(start, end));
      start = end + 1;
      const pending = isEmpty ? this.#dispatch(lines.length - start) : undefined;
      if (pending instanceof Promise) return pending.then(() => this.#readLines(lines, start));
    }
    if (start < lines.length) this.#begun.add(lines.slice(start));
  }

  /** Turns all three line endings into `\n`. A `\n` that follows a `\r` in the next chunk is dropped there. */
  #unify(text: string): string {
    const rest = this.#wasReturn && text.startsWith('\n') ? text.slice(1) : text;
    if (text !== '') this.#wasReturn = text.endsWith('\r');
    return rest.includes('\r') ? rest.replace(/\r\n?/g, '\n') : rest;
  }

  #readLine(line: string): void {
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') this.#data.add(value);
    else if (field === 'event') this.#name = value;
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    else if (field === 'retry' && /^\d{1,15}$/.test(value)) this.#onRetry(Number(value));
  }

  /** Ends an event at an empty line; the remaining `left` characters belong to the next one. */
  #dispatch(left: number): Awaitable<void> {
    const [name, id, isEmpty] = [this.#name, this.#id, this.#data.isEmpty];
    this.#name = undefined;
    this.#id = undefined;
    this.size = left;
    if (!isEmpty || id !== undefined) return this.#onEvent({ name, data: this.#data.take(), id });
  }
}

/** How many pieces are kept before they are joined: even a piece of one character takes dozens of bytes. */
const MAX_LOOSE = 1024;

/** Collects a text that arrives in pieces. */
class Parts {
  readonly #separator: string;
  #joined: string[] = [];
  #loose: string[] = [];

  constructor(separator: string) {
    this.#separator = separator;
  }

  get isEmpty(): boolean {
    return this.#loose.length === 0 && this.#joined.length === 0;
  }

  add(piece: string): void {
    this.#loose.push(piece);
    if (this.#loose.length < MAX_LOOSE) return;
    this.#joined.push(this.#loose.join(this.#separator));
    this.#loose = [];
  }

  /** Returns the joined text and resets. */
  take(): string {
    const pieces = this.#joined.length === 0 ? this.#loose : [...this.#joined, ...this.#loose];
    this.#joined = [];
    this.#loose = [];
    return pieces.length === 1 ? (pieces[0] as string) : pieces.join(this.#separator);
  }
}
