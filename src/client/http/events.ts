import { type Awaitable, andThen } from '../../base/settle.js';
import { Pace } from '../../base/turns.js';
import { InvalidAnswer } from '../../protocol/failures.js';
import { EventParser, type ServerEvent } from './event-parser.js';
import type { HttpResponse } from './send.js';

/** How many bytes are parsed at once; chunks that do not come from a socket may be larger. */
const PIECE_BYTES = 64 * 1024;
/** The minimum cost of an event, in characters. */
const EVENT_COST = 256;

/** Reads the events of a response in order. Throws `InvalidAnswer` for one of more than `limit` characters. */
export async function readEvents(
  response: HttpResponse,
  limit: number,
  onEvent: (event: ServerEvent) => Awaitable<void>,
  onRetry: (ms: number) => void = () => {},
): Promise<void> {
  const pace = new Pace();
  const parser = new EventParser(
    event => andThen(onEvent(event), () => pace.spend(EVENT_COST + event.data.length)),
    onRetry,
  );
  const decoder = new TextDecoder();
  const take = (bytes: Uint8Array) =>
    andThen(parser.feed(decoder.decode(bytes, { stream: true })), () => {
      if (parser.size > limit) {
        throw new InvalidAnswer(`the server sent an event of more than ${limit} characters`);
      }
      return pace.spend(bytes.length);
    });
  const takePieces = async (bytes: Uint8Array) => {
    for (let at = 0; at < bytes.length; at += PIECE_BYTES) await take(bytes.subarray(at, at + PIECE_BYTES));
  };
  await response.read(bytes => (bytes.length <= PIECE_BYTES ? take(bytes) : takePieces(bytes)));
}
