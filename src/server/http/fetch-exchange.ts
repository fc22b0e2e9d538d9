import { onStandstill } from '../../base/standstill.js';
import { Charge } from '../charge.js';
import { type Account, type Evictable, NoRoom } from '../ledger.js';
import { BODY_MS, BODY_SILENCE_MS, HEADER_BYTES, MIN_UNREAD_BYTES, REQUEST_BYTES } from '../limits.js';
import { type Body, BodyProblem, type Exchange, type StreamWriter } from './exchange.js';
import { FetchStream } from './fetch-stream.js';

/** An exchange over the fetch API. */
export class FetchExchange implements Exchange {
  readonly method: string;
  readonly isLocal = undefined;
  readonly account: Account;
  /** Set if there is no memory for the head of the request. */
  readonly refusal: NoRoom | undefined;
  readonly #stalledMs: number;
  readonly #request: Request;
  readonly #url: URL;
  readonly #resolve: (response: Response) => void;
  readonly #onEnd: () => void;
  readonly #onDisconnect = new Set<() => void>();
  /** The memory of the head of the request, until the response is sent. */
  readonly #head: Charge;
  #isGone: boolean;

  /**
   * `resolve` receives the response. A client that takes nothing of it for `stalledMs` is disconnected. `onEnd` is called
   * before the response is complete.
   */
  constructor(
    request: Request,
    resolve: (response: Response) => void,
    account: Account,
    stalledMs: number,
    onEnd: () => void,
  ) {
    this.method = request.method;
    this.account = account;
    this.#stalledMs = stalledMs;
    this.#request = request;
    this.#url = new URL(request.url);
    this.#resolve = resolve;
    this.#onEnd = onEnd;
    const bytes = headBytes(request.headers);
    this.refusal = account.refusal(bytes);
    account.add(bytes);
    this.#head = new Charge(account, bytes);
    this.#isGone = request.signal.aborted;
    request.signal.addEventListener('abort', () => this.#disconnect());
  }

  get path(): string {
    return this.#url.pathname;
  }

  get query(): URLSearchParams {
    return this.#url.searchParams;
  }

  header(name: string): string | undefined {
    // Some runtimes hide the Host header, but the URL contains the same host.
    return this.#request.headers.get(name) ?? (name === 'host' ? this.#url.host : undefined);
  }

  isRepeated(): boolean {
    // The fetch API joins repeated headers, so a repeated header shows only as a value that does not match.
    return false;
  }

  readBody(limit: number, done: (body: Body) => void): void {
    void readText(this.#request, limit, this.account, this.#head).then(done);
  }

  onDisconnect(callback: () => void): void {
    if (this.#isGone) callback();
    else this.#onDisconnect.add(callback);
  }

  respond(status: number, json?: string, headers?: Readonly<Record<string, string>>): void {
    const type = json === undefined ? undefined : { 'content-type': 'application/json' };
    // Runtimes do not tell whether a text was sent, so one that may have to wait is streamed.
    if (json !== undefined && json.length > MIN_UNREAD_BYTES) {
      const stream = this.stream(status, { ...type, ...headers });
      stream.write(json);
      stream.end();
      return;
    }
    this.#onEnd();
    this.#head.release();
    this.#resolve(new Response(json ?? null, { status, headers: { ...type, ...headers } }));
  }

  stream(status: number, headers: Readonly<Record<string, string>>): StreamWriter {
    const stream = new FetchStream(this.account, this.#stalledMs, {
      onCancel: () => this.#disconnect(),
      onEnd: this.#onEnd,
      onOver: () => this.#head.release(),
    });
    this.#resolve(new Response(stream.readable, { status, headers }));
    return stream;
  }

  #disconnect(): void {
    this.#isGone = true;
    for (const callback of this.#onDisconnect) callback();
    this.#onDisconnect.clear();
  }
}

/** The memory that a request takes beside its body. */
function headBytes(headers: Headers): number {
  let bytes = REQUEST_BYTES;
  headers.forEach((value, name) => {
    bytes += HEADER_BYTES + name.length + value.length;
  });
  return bytes;
}

async function readText(request: Request, limit: number, account: Account, head: Charge): Promise<Body> {
  if (Number(request.headers.get('content-length')) > limit) return BodyProblem.tooLarge(limit);
  const reader = request.body?.getReader();
  if (!reader) return '';
  // A byte order mark is kept, as on Node, and is no JSON.
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let text = '';
  let size = 0;
  let booked = 0;
  let problem: BodyProblem | NoRoom | undefined;
  const fail = (why: BodyProblem | NoRoom) => {
    problem ??= why;
    // Ends the read that is waiting.
    reader.cancel().catch(() => {});
  };
  const release = () => {
    account.remove(booked);
    booked = 0;
  };
  const arriving: Evictable = {
    wasUsed: false,
    evict() {
      fail(new NoRoom(503));
      release();
      head.release();
      return true;
    },
  };
  // Most bodies have arrived with their heads, and are read before this.
  const timer = setTimeout(() => account.ledger.evictable.add(arriving));
  const stop = onStandstill(
    () => size,
    BODY_SILENCE_MS,
    () => fail(BodyProblem.tooSlow()),
    BODY_MS,
  );
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (problem) return problem;
      if (done) return text + decoder.decode();
      const refusal = account.refusal(value.byteLength, true);
      if (problem) return problem;
      // The first piece comes with the head, also if no other follows.
      arriving.wasUsed = size > 0;
      size += value.byteLength;
      booked = size;
      account.add(value.byteLength);
      if (refusal || size > limit) fail(refusal ?? BodyProblem.tooLarge(limit));
      else text += decoder.decode(value, { stream: true });
    }
  } catch (error) {
    return problem ?? (error instanceof TypeError ? BodyProblem.notUtf8() : BodyProblem.cutOff());
  } finally {
    release();
    clearTimeout(timer);
    account.ledger.evictable.delete(arriving);
    stop();
  }
}
