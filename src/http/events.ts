import { InvalidAnswer } from '../protocol/failures.js';
import { EventParser, type ServerEvent } from './event-parser.js';
import type { HttpResponse } from './send.js';

/** Reads the events of a response. An event of more than `limit` characters ends it with `InvalidAnswer`. */
export async function readEvents(
  response: HttpResponse,
  limit: number,
  onEvent: (event: ServerEvent) => void,
  onRetry: (ms: number) => void = () => {},
): Promise<void> {
  const parser = new EventParser(onEvent, onRetry);
  const decoder = new TextDecoder();
  await response.read(bytes => {
    parser.feed(decoder.decode(bytes, { stream: true }));
    if (parser.size > limit) {
      throw new InvalidAnswer(`the server sent an event of more than ${limit} characters`);
    }
  });
}
