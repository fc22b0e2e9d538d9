import { MAX_TIMER_MS } from '../../base/timers.js';
import { HttpError, isBroken } from '../../protocol/failures.js';
import { HEADER } from '../../protocol/headers.js';
import { MAX_ERROR_BYTES } from '../limits.js';
import type { Headers } from '../wire.js';
import type { EventStream } from './event-stream.js';
import type { PendingRequest } from './pending-request.js';
import type { HttpResponse } from './send.js';
import { isEventStream, isSuccess } from './streamable-http.js';

/** How often it is tried to resume a stream whose server cannot be reached, or that belongs to no answer and stays empty. */
const MAX_FAILURES = 5;
/** With these statuses, servers and proxies ask their clients to come back later. */
const TEMPORARY: ReadonlySet<number> = new Set([408, 425, 429, 502, 503, 504]);
/** A stream that lasted this long counts as working. */
const LONG_MS = 10_000;
const RESUME_MS = 1000;
const MAX_RESUME_MS = 30_000;
/** How far apart the first attempts without news begin at least. */
const MIN_RESUME_MS = 10;

/** A stream to read, and how. */
interface Reading {
  /** Asks for the stream, or for the rest of it, with headers that say so. */
  get(headers: Headers): Promise<HttpResponse>;
  pending: PendingRequest;
  stream: EventStream;
  isOver(): boolean;
  isClosed(): boolean;
  /** Called each time the stream opens; absent for the stream of an answer. */
  onOpen: (() => void) | undefined;
}

/** Reads a stream with GET, and resumes it where it broke off, until it is over. */
export async function readStream({ get, pending, stream, isOver, isClosed, onOpen }: Reading): Promise<void> {
  // A server may close the stream of an answer as often as it likes. The time limits of the call end it.
  const isOfAnswer = !onOpen;
  let failures = 0;
  let idle = 0;
  let lastedMs = 0;
  let askedMs = 0;
  for (let isFirst = stream.lastEventId === undefined; !isOver(); isFirst = false) {
    if (!isFirst) await pending.pause(Math.max(pauseBefore(stream, idle, lastedMs), askedMs));
    if (isOver() || isClosed()) return;
    const { count, messages } = stream;
    const startedAt = Date.now();
    let isWorking = false;
    let failure: unknown;
    askedMs = 0;
    try {
      const response = await get({ ...resumeHeaders(stream), accept: 'text/event-stream' });
      isWorking = isOfAnswer;
      const { status } = response;
      if (isSuccess(status) && isEventStream(response)) {
        onOpen?.();
        await stream.read(response);
      } else {
        const text = await response.text(MAX_ERROR_BYTES).catch(() => '');
        // The server has no such stream.
        if (isSuccess(status) || status === 405) return;
        failure = new HttpError(status, text);
        if (isFirst || !TEMPORARY.has(status)) throw failure;
        askedMs = readRetryAfter(response);
      }
    } catch (error) {
      // Reading fails when it is aborted because the response has arrived.
      if (isOver()) return;
      if (!isBroken(error) || isClosed()) throw error;
      failure = error;
    }
    lastedMs = Date.now() - startedAt;
    // Proxies end streams that are silent for a minute or so; the server is not at fault.
    const isLong = lastedMs > LONG_MS;
    idle = stream.messages > messages || isLong ? 0 : idle + 1;
    failures = isWorking || stream.count > count || isLong ? 0 : failures + 1;
    if (failures <= MAX_FAILURES) continue;
    if (failure) throw failure;
    return;
  }
}

/**
 * The delay that the server asked for; by default random and growing with each idle attempt. A server that closes its
 * streams at once is not asked without a pause, whatever it says: idle attempts begin further and further apart.
 */
function pauseBefore({ retryMs }: EventStream, idle: number, lastedMs: number): number {
  const asked = retryMs ?? Math.random() * Math.min(RESUME_MS * 2 ** idle, MAX_RESUME_MS);
  return Math.max(asked, Math.min(MIN_RESUME_MS * 2 ** idle, RESUME_MS) - lastedMs);
}

function resumeHeaders({ lastEventId }: EventStream): Headers {
  return lastEventId === undefined ? {} : { [HEADER.lastEventId]: toUtf8(lastEventId) };
}

/** The UTF-8 bytes of a text, one character per byte, as header values are given. */
function toUtf8(text: string): string {
  return Array.from(new TextEncoder().encode(text), byte => String.fromCharCode(byte)).join('');
}

/** The milliseconds in a `Retry-After` header, which has seconds or a date. */
function readRetryAfter(response: HttpResponse): number {
  const value = response.header('retry-after') ?? '';
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Math.min(Math.max(ms, 0) || 0, MAX_TIMER_MS);
}
