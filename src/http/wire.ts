import { Slots } from '../eras/slots.js';
import type { Headers, Incoming, OpenWire, Outgoing, Sent, Wire } from '../eras/wire.js';
import { parseJson, type Response, readMessage, requestText } from '../jsonrpc/message.js';
import { ConnectionError, HttpError, InvalidAnswer } from '../protocol/failures.js';
import { HEADER } from '../protocol/headers.js';
import { readEvents, type ServerEvent } from './events.js';
import type { HttpExchange, HttpRequest, HttpResponse, HttpSender } from './send.js';

export interface HttpWireOptions {
  url: string;
  sender: HttpSender;
  /** Headers of every request. */
  headers: Headers;
  /** The largest message. */
  maxBytes: number;
}

/** How often a broken stream is taken up again without anything new on it. */
const MAX_RESUMES = 5;
const RESUME_MS = 1000;
/** A stream that lasted this long has worked. */
const LONG_MS = 10_000;
const MAX_RESUME_MS = 30_000;
/** What is read of a body that is no answer. */
const MAX_ERROR_BYTES = 64 * 1024;

/** A wire over Streamable HTTP: every message is a POST, and its answer comes back as JSON or as a stream of events. */
export function openHttp(options: HttpWireOptions): OpenWire {
  return async receive => new HttpWire(options, receive);
}

class HttpWire implements Wire {
  readonly disconnectCancels = true;
  /** The session that the server opened last. */
  sessionId: string | undefined;
  readonly #options: HttpWireOptions;
  readonly #receive: (message: Incoming) => void;
  readonly #running = new Slots<HttpExchange>();
  readonly #postHeaders: Headers;
  #isClosed = false;

  constructor(options: HttpWireOptions, receive: (message: Incoming) => void) {
    this.#options = options;
    this.#postHeaders = { ...options.headers, ...POST_HEADERS };
    this.#receive = receive;
  }

  request(request: Outgoing, headers: Headers = {}): Sent {
    const body = requestText(request.id, request.method, request.params);
    const attempt = new Attempt();
    const response = this.#exchange(attempt, 'POST', { ...this.#postHeaders, ...headers }, body);
    return {
      response: response.then(answer => this.#readAnswer(answer, request, headers, attempt)),
      abandon: () => attempt.abandon(),
    };
  }

  async post(text: string, headers: Headers = {}): Promise<void> {
    const attempt = new Attempt();
    const response = await this.#exchange(attempt, 'POST', { ...this.#postHeaders, ...headers }, text);
    const body = await response.text(MAX_ERROR_BYTES).catch(() => '');
    if (!isSuccess(response.status)) throw new HttpError(response.status, body);
  }

  async listen(headers: Headers, signal: AbortSignal, onOpen: () => void): Promise<void> {
    const attempt = new Attempt();
    const abandon = () => attempt.abandon();
    signal.addEventListener('abort', abandon);
    try {
      const stream = new EventStream(this.#options.maxBytes, event => this.#take(event));
      await this.#readStream(attempt, stream, headers, () => signal.aborted, onOpen);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      signal.removeEventListener('abort', abandon);
    }
  }

  async end(headers: Headers): Promise<void> {
    const attempt = new Attempt();
    const timer = setTimeout(() => attempt.abandon(), END_TIMEOUT);
    try {
      const response = await this.#exchange(attempt, 'DELETE', { ...this.#options.headers, ...headers });
      await response.text(MAX_ERROR_BYTES).catch(() => '');
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const exchange of this.#running) exchange.abort();
    this.#options.sender.close();
  }

  /** Sends an HTTP request, and follows redirects within the server. */
  async #exchange(
    attempt: Attempt,
    method: HttpRequest['method'],
    headers: Record<string, string>,
    body?: string,
    url = this.#options.url,
    redirects = 0,
  ): Promise<HttpResponse> {
    if (this.#isClosed) throw new ConnectionError('the client was closed');
    const exchange = this.#options.sender.send({ method, url, headers, body });
    attempt.begin(exchange, this.#running);
    let response: HttpResponse;
    try {
      response = await exchange.response;
    } catch (error) {
      attempt.end();
      throw this.#isClosed ? new ConnectionError('the client was closed') : error;
    }
    if (!isRedirect(response.status)) return response;
    attempt.end();
    const target = redirectTarget(url, response);
    if (redirects >= MAX_REDIRECTS) throw new ConnectionError('the server redirects without end');
    return this.#exchange(attempt, method, headers, body, target, redirects + 1);
  }

  async #readAnswer(
    response: HttpResponse,
    request: Outgoing,
    headers: Headers,
    attempt: Attempt,
  ): Promise<Response> {
    try {
      const { status } = response;
      const session = response.header(HEADER.sessionId);
      if (session !== undefined) this.sessionId = session;
      if (!isSuccess(status)) return await this.#readRefusal(response, request, headers);
      const type = response.header('content-type') ?? '';
      if (isEventStream(response)) return await this.#readAnswerStream(response, request, headers, attempt);
      const text = await response.text(this.#options.maxBytes);
      if (!/^application\/([\w.+-]+\+)?json\b/i.test(type)) {
        throw new InvalidAnswer(
          `the answer to ${request.method} is neither JSON nor a stream of events, but ${type || `nothing, with status ${status}`}`,
        );
      }
      const answer = this.#findAnswer(text, request);
      if (!answer) throw new InvalidAnswer(`what came back for ${request.method} is no answer to it`);
      return answer;
    } finally {
      attempt.end();
    }
  }

  /** A refusal may carry an error that is the answer. Those about access and sessions are told by their status. */
  async #readRefusal(response: HttpResponse, request: Outgoing, headers: Headers): Promise<Response> {
    const { status } = response;
    const text = await response.text(MAX_ERROR_BYTES).catch(() => '');
    const isAnswer = status < 500 && status !== 401 && status !== 403;
    const isSessionLost = status === 404 && headers[HEADER.sessionId] !== undefined;
    const answer = isAnswer && !isSessionLost ? readError(text, request) : undefined;
    if (answer) return answer;
    throw new HttpError(status, readError(text, request)?.outcome.error.message ?? text);
  }

  async #readAnswerStream(
    response: HttpResponse,
    request: Outgoing,
    headers: Headers,
    attempt: Attempt,
  ): Promise<Response> {
    let answer: Response | undefined;
    const stream = new EventStream(this.#options.maxBytes, event => {
      answer ??= this.#take(event, request);
      if (answer) attempt.abandon();
    });
    const isOver = () => answer !== undefined || attempt.isAbandoned;
    try {
      await stream.read(response);
    } catch (error) {
      if (!answer && !(canResume(headers) && stream.lastEventId)) throw error;
    }
    if (!isOver() && canResume(headers) && stream.lastEventId !== undefined)
      await this.#readStream(attempt, stream, headers, isOver);
    if (answer) return answer;
    throw new ConnectionError(`the stream ended without an answer to ${request.method}`);
  }

  /** Reads a stream with GET, again and again from where it broke off, until it is over. */
  async #readStream(
    attempt: Attempt,
    stream: EventStream,
    headers: Headers,
    isOver: () => boolean,
    onOpen?: () => void,
  ): Promise<void> {
    let idle = 0;
    for (let isFirst = stream.lastEventId === undefined; !isOver(); isFirst = false) {
      if (!isFirst) await attempt.pause(stream.retryAfter(idle));
      if (isOver() || this.#isClosed) return;
      const seen = stream.count;
      const startedAt = Date.now();
      try {
        const response = await this.#exchange(attempt, 'GET', {
          ...this.#options.headers,
          ...headers,
          ...stream.resumeHeaders(),
          accept: 'text/event-stream',
        });
        if (!isSuccess(response.status) || !isEventStream(response)) {
          const text = await response.text(MAX_ERROR_BYTES).catch(() => '');
          // The server has no such stream.
          if (isSuccess(response.status) || response.status === 405) return;
          throw new HttpError(response.status, text);
        }
        onOpen?.();
        await stream.read(response);
      } catch (error) {
        // Reading ends with an error when it is given up because the answer is there.
        if (isOver()) return;
        if (error instanceof HttpError || this.#isClosed) throw error;
        if (idle >= MAX_RESUMES) throw error;
      } finally {
        attempt.end();
      }
      // Proxies end streams that are silent for a minute or so; that is not the fault of the server.
      idle = stream.count > seen || Date.now() - startedAt > LONG_MS ? 0 : idle + 1;
      if (idle > MAX_RESUMES) return;
    }
  }

  /** Takes one event. Returns the answer to `request`, if it is that. */
  #take(event: ServerEvent, request?: Outgoing): Response | undefined {
    return isJson(event.data) ? this.#findAnswer(event.data, request) : undefined;
  }

  #findAnswer(text: string, request: Outgoing | undefined): Response | undefined {
    let answer: Response | undefined;
    for (const message of readMessages(text)) {
      if (message.kind === 'malformed') {
        // It was meant to be the answer, but is none.
        if (request && isFor(text, request))
          throw new InvalidAnswer(`the answer to ${request.method} is malformed: ${message.error.message}`);
      } else if (message.kind !== 'response') this.#receive(message);
      else if (request && message.id === request.id) answer ??= message;
    }
    return answer;
  }
}

const POST_HEADERS: Headers = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};
const MAX_REDIRECTS = 3;
const END_TIMEOUT = 2000;

/** An exchange that may be given up, also while it waits to be tried again. */
class Attempt {
  isAbandoned = false;
  #exchange: HttpExchange | undefined;
  #running: Slots<HttpExchange> | undefined;
  #slot = 0;
  #wake: (() => void) | undefined;

  /** Takes part in what is running, until its end. */
  begin(exchange: HttpExchange, running: Slots<HttpExchange>): void {
    this.#exchange = exchange;
    this.#running = running;
    this.#slot = running.add(exchange);
    if (this.isAbandoned) this.abandon();
  }

  end(): void {
    this.#running?.remove(this.#slot);
    this.#running = undefined;
  }

  abandon(): void {
    this.isAbandoned = true;
    this.#exchange?.abort();
    this.#wake?.();
    this.end();
  }

  pause(ms: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

/** What is known of a stream that may be taken up again. */
class EventStream {
  lastEventId: string | undefined;
  count = 0;
  readonly #limit: number;
  readonly #onEvent: (event: ServerEvent) => void;
  #retryMs: number | undefined;

  constructor(limit: number, onEvent: (event: ServerEvent) => void) {
    this.#limit = limit;
    this.#onEvent = onEvent;
  }

  read(response: HttpResponse): Promise<void> {
    return readEvents(
      response,
      this.#limit,
      event => {
        this.count++;
        if (event.id !== undefined && event.id !== '') this.lastEventId = event.id;
        this.#onEvent(event);
      },
      ms => {
        this.#retryMs = Math.min(ms, MAX_RESUME_MS);
      },
    );
  }

  /** What the server asked for; without that, longer and longer, at random. */
  retryAfter(idle: number): number {
    return this.#retryMs ?? Math.random() * Math.min(RESUME_MS * 2 ** idle, MAX_RESUME_MS);
  }

  resumeHeaders(): Headers {
    return this.lastEventId === undefined ? {} : { [HEADER.lastEventId]: this.lastEventId };
  }
}

/** Requests that name their method in a header belong to revisions whose streams cannot be taken up again. */
function canResume(headers: Headers): boolean {
  return headers[HEADER.method] === undefined;
}

function isEventStream(response: HttpResponse): boolean {
  return /^text\/event-stream\b/i.test(response.header('content-type') ?? '');
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Browsers show redirects that they do not follow as status 0. */
function isRedirect(status: number): boolean {
  return status === 0 || (status >= 300 && status < 400);
}

/** Where a redirect leads to. Only the same server may see what was sent. */
function redirectTarget(url: string, response: HttpResponse): string {
  const location = response.header('location');
  const target = location !== undefined && URL.canParse(location, url) ? new URL(location, url) : undefined;
  const keepsMethod = response.status === 307 || response.status === 308;
  if (target && keepsMethod && target.origin === new URL(url).origin) return target.href;
  throw new HttpError(
    response.status,
    '',
    `the server redirects to ${target?.origin ?? 'another place'}, which is not followed; connect to that address yourself if you trust it`,
  );
}

/** Events without data keep streams alive; what else is not JSON is passed over. */
function isJson(text: string): boolean {
  return /^\s*[[{]/.test(text);
}

function* readMessages(text: string): Generator<ReturnType<typeof readMessage>> {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (cause) {
    throw new InvalidAnswer(`the answer cannot be read: ${(cause as Error).message}`, { cause });
  }
  for (const item of Array.isArray(value) ? value : [value]) yield readMessage(item);
}

/** The error in a body, if it may be about this request. */
function readError(
  text: string,
  request: Outgoing,
): (Response & { outcome: { error: { code: number; message: string } } }) | undefined {
  try {
    for (const message of readMessages(text)) {
      if (message.kind !== 'response' || !('error' in message.outcome)) continue;
      if (message.id === undefined || message.id === request.id) return message as never;
    }
  } catch {
    // Not JSON.
  }
  return undefined;
}

/** Whether a malformed message has the id of a request. */
function isFor(text: string, request: Outgoing): boolean {
  const value = JSON.parse(text) as { id?: unknown } | { id?: unknown }[];
  return (Array.isArray(value) ? value : [value]).some(item => item?.id === request.id);
}
