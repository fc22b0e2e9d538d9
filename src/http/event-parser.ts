/** One server-sent event, as far as MCP uses them. */
export interface ServerEvent {
  name: string | undefined;
  data: string;
  id: string | undefined;
}

/**
 * Finds the events in a stream of text, in time and memory linear in its length, however it is cut up and whatever
 * it has in it.
 * @see https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
 */
export class EventParser {
  /** How many characters belong to an event that is not complete yet. */
  size = 0;
  readonly #onEvent: (event: ServerEvent) => void;
  readonly #onRetry: (ms: number) => void;
  readonly #begun = new Parts();
  #name: string | undefined;
  #data: string[] = [];
  #id: string | undefined;
  #wasReturn = false;

  constructor(onEvent: (event: ServerEvent) => void, onRetry: (ms: number) => void) {
    this.#onEvent = onEvent;
    this.#onRetry = onRetry;
  }

  feed(text: string): void {
    const unified = this.#unify(text);
    this.size += unified.length;
    if (!unified.includes('\n')) return this.#begun.add(unified);
    this.#begun.add(unified);
    const lines = this.#begun.take();
    let start = 0;
    for (let end = lines.indexOf('\n'); end >= 0; end = lines.indexOf('\n', start)) {
      if (start === end) this.#dispatch(lines.length - end - 1);
      else this.#readLine(lines.slice(start, end));
      start = end + 1;
    }
    this.#begun.add(lines.slice(start));
  }

  /** Turns all three line ends into one. The second half of one may come later, but nobody waits for it. */
  #unify(text: string): string {
    const rest = this.#wasReturn && text.startsWith('\n') ? text.slice(1) : text;
    if (text !== '') this.#wasReturn = text.endsWith('\r');
    return rest.includes('\r') ? rest.replace(/\r\n?/g, '\n') : rest;
  }

  #readLine(line: string): void {
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') this.#data.push(value);
    else if (field === 'event') this.#name = value;
    else if (field === 'id' && !value.includes('\0')) this.#id = value;
    else if (field === 'retry' && /^\d{1,15}$/.test(value)) this.#onRetry(Number(value));
  }

  /** An empty line ends an event; `left` characters after it belong to the next. */
  #dispatch(left: number): void {
    const [name, data, id] = [this.#name, this.#data, this.#id];
    this.#name = undefined;
    this.#id = undefined;
    this.size = left;
    if (data.length === 0 && id === undefined) return;
    this.#data = [];
    this.#onEvent({ name, data: data.join('\n'), id });
  }
}

/** How many pieces are kept apart; even one of one character takes dozens of bytes. */
const MAX_LOOSE = 1024;

/** A text that comes in pieces. */
class Parts {
  #joined: string[] = [];
  #loose: string[] = [];

  add(piece: string): void {
    if (piece === '') return;
    this.#loose.push(piece);
    if (this.#loose.length < MAX_LOOSE) return;
    this.#joined.push(this.#loose.join(''));
    this.#loose = [];
  }

  /** All that was added, as one. Starts anew. */
  take(): string {
    const text = this.#joined.join('') + this.#loose.join('');
    this.#joined = [];
    this.#loose = [];
    return text;
  }
}
