import type { Awaitable } from '../../base/settle.js';
import { MAX_TIMER_MS } from '../../base/timers.js';
import type { ServerEvent } from './event-parser.js';
import { readEvents } from './events.js';
import type { HttpResponse } from './send.js';

/** Longer headers are refused by servers. */
const MAX_HEADER = 8192;

/** The state of a stream that may be resumed. */
export class EventStream {
  lastEventId: string | undefined;
  count = 0;
  /** How many of the events carried anything; the others only say where to go on. */
  messages = 0;
  /** The pause that the server asked for before the stream is resumed. */
  retryMs: number | undefined;
  readonly #limit: number;
  readonly #onEvent: (event: ServerEvent) => Awaitable<void>;

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
        this.retryMs = Math.min(ms, MAX_TIMER_MS);
      },
    );
  }
}

/** Whether a text can be sent in a header, as UTF-8. */
function isHeaderText(text: string): boolean {
  if (text.length > MAX_HEADER) return false;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: headers cannot carry these characters.
  return !/[\x00-\x08\x0a-\x1f\x7f]/.test(text);
}
