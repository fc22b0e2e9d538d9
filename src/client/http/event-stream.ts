import type { Awaitable } from '../../base/settle.js';
import { MAX_TIMER_MS } from '../../base/timers.js';
import { HEADER } from '../../protocol/headers.js';
import type { Headers } from '../wire.js';
import type { ServerEvent } from './event-parser.js';
import { readEvents } from './events.js';
import type { HttpResponse } from './send.js';

const RESUME_MS = 1000;
const MAX_RESUME_MS = 30_000;
/** How far apart the first attempts without news begin at least. */
const MIN_RESUME_MS = 10;
/** Longer headers are refused by servers. */
const MAX_HEADER = 8192;

/** The state of a stream that may be resumed. */
export class EventStream {
  lastEventId: string | undefined;
  count = 0;
  /** How many of the events carried anything; the others only say where to go on. */
  messages = 0;
  readonly #limit: number;
  readonly #onEvent: (event: ServerEvent) => Awaitable<void>;
  #retryMs: number | undefined;

  constructor(limit: number, onEvent: (event: ServerEvent) => Awaitable<void>) {
    this.#limit = limit;
    this.#onEvent = onEvent;
  }

  read(response: HttpResponse): Promise<void> {
    return readEvents(
      response,
      this.#limit,
      event => {
        this.count++;
        if (event.data !== '') this.messages++;
        // An empty id says that there is no event to go on from.
        if (event.id !== undefined && isHeaderText(event.id)) this.lastEventId = event.id || undefined;
        return this.#onEvent(event);
      },
      ms => {
        this.#retryMs = Math.min(ms, MAX_TIMER_MS);
      },
    );
  }

  /**
   * The delay that the server asked for; by default random and growing with each idle attempt. A server that closes its
   * streams at once is not asked without a pause, whatever it says: idle attempts begin further and further apart.
   */
  retryAfter(idle: number, lastedMs: number): number {
    const asked = this.#retryMs ?? Math.random() * Math.min(RESUME_MS * 2 ** idle, MAX_RESUME_MS);
    return Math.max(asked, Math.min(MIN_RESUME_MS * 2 ** idle, RESUME_MS) - lastedMs);
  }

  resumeHeaders(): Headers {
    return this.lastEventId === undefined ? {} : { [HEADER.lastEventId]: toUtf8(this.lastEventId) };
  }
}

/** Whether a text can be sent in a header, as UTF-8. */
function isHeaderText(text: string): boolean {
  if (text.length > MAX_HEADER) return false;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: headers cannot carry these characters.
  return !/[\x00-\x08\x0a-\x1f\x7f]/.test(text);
}

/** The UTF-8 bytes of a text, one character per byte, as header values are given. */
function toUtf8(text: string): string {
  return Array.from(new TextEncoder().encode(text), byte => String.fromCharCode(byte)).join('');
}
