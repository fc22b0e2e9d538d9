import { createParser } from 'eventsource-parser';
import { ConnectionError } from '../protocol/failures.js';
import type { HttpResponse } from './send.js';

/** One server-sent event, as far as MCP uses them. */
export interface ServerEvent {
  name: string | undefined;
  data: string;
  id: string | undefined;
}

/** Reads the events of a response. An event of more than `limit` bytes ends it with `ConnectionError`. */
export async function readEvents(
  response: HttpResponse,
  limit: number,
  onEvent: (event: ServerEvent) => void,
  onRetry?: (ms: number) => void,
): Promise<void> {
  let size = 0;
  const parser = createParser({
    onEvent({ event, data, id }) {
      size = 0;
      onEvent({ name: event, data, id });
    },
    onRetry: ms => onRetry?.(ms),
    onComment() {
      size = 0;
    },
  });
  const decoder = new TextDecoder();
  await response.read(bytes => {
    size += bytes.length;
    parser.feed(decoder.decode(bytes, { stream: true }));
    if (size > limit) throw new ConnectionError(`the server sent an event of more than ${limit} bytes`);
  });
}
