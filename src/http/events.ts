import { createParser } from 'eventsource-parser';
import { InvalidAnswer } from '../protocol/failures.js';
import type { HttpResponse } from './send.js';

/** One server-sent event, as far as MCP uses them. */
export interface ServerEvent {
  name: string | undefined;
  data: string;
  id: string | undefined;
}

/** Reads the events of a response. An event of more than `limit` bytes ends it with `InvalidAnswer`. */
export async function readEvents(
  response: HttpResponse,
  limit: number,
  onEvent: (event: ServerEvent) => void,
  onRetry?: (ms: number) => void,
): Promise<void> {
  const parser = createParser({
    onEvent: ({ event, data, id }) => onEvent({ name: event, data, id }),
    onRetry: ms => onRetry?.(ms),
  });
  const lines = new LineEnds();
  const decoder = new TextDecoder();
  let waiting = '';
  let size = 0;
  await response.read(bytes => {
    const text = lines.unify(decoder.decode(bytes, { stream: true }));
    size = lines.sinceBlank ?? size + bytes.length;
    waiting += text;
    // The parser keeps every piece of a line that it gets, however small.
    if (text.includes('\n') || waiting.length > MAX_WAITING) {
      parser.feed(waiting);
      waiting = '';
    }
    if (size > limit) throw new InvalidAnswer(`the server sent an event of more than ${limit} bytes`);
  });
}

/** How much of an unfinished line is put together before the parser gets it. */
const MAX_WAITING = 16 * 1024;

/**
 * Turns the three line ends that streams may have into one. The parser looks for the next of every kind at each
 * line, which takes forever if there is only one kind; and it waits for the second half of what may be a whole.
 */
class LineEnds {
  /** How many characters of the last text come after an empty line, which ends an event; undefined without one. */
  sinceBlank: number | undefined;
  #wasReturn = false;
  #wasEnd = true;

  unify(text: string): string {
    const rest = this.#wasReturn && text.startsWith('\n') ? text.slice(1) : text;
    if (text !== '') this.#wasReturn = text.endsWith('\r');
    const unified = rest.includes('\r') ? rest.replace(/\r\n?/g, '\n') : rest;
    this.sinceBlank = this.#findBlank(unified);
    if (unified !== '') this.#wasEnd = unified.endsWith('\n');
    return unified;
  }

  #findBlank(text: string): number | undefined {
    const blank = text.lastIndexOf('\n\n');
    if (blank >= 0) return text.length - blank - 2;
    return this.#wasEnd && text.startsWith('\n') ? text.length - 1 : undefined;
  }
}
