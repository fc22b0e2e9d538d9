import { onAbort } from '../../base/abort.js';
import { clip } from '../../base/clip.js';
import { type Awaitable, andThen, settle } from '../../base/settle.js';
import { Slots } from '../../base/slots.js';
import { type Response, requestText } from '../../jsonrpc/message.js';
import { ERROR, McpError } from '../../protocol/errors.js';
import {
  ConnectionError,
  HttpError,
  InvalidAnswer,
  isAboutRequest,
  isBroken,
} from '../../protocol/failures.js';
import { HEADER } from '../../protocol/headers.js';
import { MAX_ERROR_BYTES, SESSION_END_TIMEOUT_MS } from '../limits.js';
import type { Clock, Headers, OpenWire, Outgoing, Receive, Sent, Wire } from '../wire.js';
import type { ServerEvent } from './event-parser.js';
import { EventStream } from './event-stream.js';
import { PendingRequest } from './pending-request.js';
import type { readStream } from './read-stream.js';
import { isRedirect, MAX_REDIRECTS, redirectTarget } from './redirect.js';
import { findAnswer, readError, type Source } from './response-messages.js';
import { isClearText, refuseInClearText } from './secrets.js';
import type { HttpRequest, HttpResponse, HttpSender } from './send.js';

export interface HttpWireOptions {
  url: string;
  sender: HttpSender;
  /** Headers to send with every request. */
  headers: Headers;
  /** The largest message, in bytes. */
  maxBytes: number;
  /** Loads the code that reads the streams of servers. */
  loadReader(): Promise<{ readStream: typeof readStream }>;
}

/** A wire over Streamable HTTP: every message is a POST, and the response comes as JSON or as a stream of events. */
export function openHttp(options: HttpWireOptions): OpenWire {
  return async receive => new HttpWire(options, receive);
}

class HttpWire implements Wire {
  readonly hasHeaders = true;
  readonly disconnectCancels = true;
  /** The session that the server opened most recently. */
  sessionId: string | undefined;
  readonly #options: HttpWireOptions;
  readonly #receive: Receive;
  readonly #running = new Slots<PendingRequest>();
  /** The URL, if others can read what is sent to it; then no request may add secrets. */
  readonly #clearTextUrl: URL | undefined;
  #isClosed = false;
  #closeReason: Error | undefined;

  constructor(options: HttpWireOptions, receive: Receive) {
    this.#options = options;
    this.#receive = receive;
    const url = new URL(options.url);
    this.#clearTextUrl = isClearText(url) ? url : undefined;
  }

  request(request: Outgoing, headers: Headers = {}, clock?: Clock): Sent<Response> {
    if (this.#clearTextUrl) refuseInClearText(this.#clearTextUrl, headers);
    const body = requestText(request.id, request.method, request.params);
    return this.#send(async pending => {
      // The headers that the transport needs win over the author's.
      const all = { ...this.#options.headers, ...headers, ...POST_HEADERS };
      // Only initialize names it in its parameters.
      pending.revision = headers[HEADER.protocolVersion] ?? (request.params.protocolVersion as string);
      const response = await this.#exchange(pending, 'POST', all, body);
      return this.#readAnswer(response, request, headers, pending);
    }, clock);
  }

  post(text: string, headers: Headers = {}, clock?: Clock): Sent<void> {
    return this.#send(async pending => {
      const response = await this.#exchange(
        pending,
        'POST',
        { ...this.#options.headers, ...headers, ...POST_HEADERS },
        text,
      );
      // A stream after a notification or a response would carry no message for it.
      if (isSuccess(response.status) && isEventStream(response)) return pending.hangUp();
      const body = await response.text(MAX_ERROR_BYTES).catch(() => '');
      if (!isSuccess(response.status)) throw new HttpError(response.status, body);
    }, clock);
  }

  async listen(headers: Headers, signal: AbortSignal, onOpen: () => void): Promise<void> {
    const source = { session: headers[HEADER.sessionId], isGivenUp: () => signal.aborted || this.#isClosed };
    const stream = new EventStream(this.#options.maxBytes, event => this.#takeUnsolicited(event, source));
    const { response, abandon } = this.#send(pending =>
      this.#readStream(pending, stream, headers, () => signal.aborted, onOpen),
    );
    const ignoreSignal = onAbort(signal, abandon);
    try {
      await response;
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      ignoreSignal();
    }
  }

  async end(headers: Headers): Promise<void> {
    const { response, abandon } = this.#send(async pending => {
      const answer = await this.#exchange(pending, 'DELETE', { ...this.#options.headers, ...headers });
      await answer.text(MAX_ERROR_BYTES).catch(() => '');
    }, UNATTENDED);
    const timer = setTimeout(abandon, SESSION_END_TIMEOUT_MS);
    await response.finally(() => clearTimeout(timer));
  }

  async close(reason?: Error): Promise<void> {
    this.#isClosed = true;
    this.#closeReason = reason;
    for (const pending of this.#running) pending.abandon();
    this.#options.sender.close();
  }

  #send<T>(work: (pending: PendingRequest) => Promise<T>, clock?: Clock): Sent<T> {
    const pending = new PendingRequest(this.#running, clock);
    return {
      response: this.#finish(pending, work),
      abandon: () => pending.abandon(),
      isUntaken: () => pending.exchange?.isUntaken?.() ?? false,
    };
  }

  async #finish<T>(pending: PendingRequest, work: (pending: PendingRequest) => Promise<T>): Promise<T> {
    try {
      return await work(pending);
    } catch (error) {
      if (!this.#isClosed) throw error;
      throw this.#closeReason ?? new ConnectionError('the client was closed');
    } finally {
      pending.end();
    }
  }

  /** Sends an HTTP request, and follows redirects within the origin. */
  async #exchange(
    pending: PendingRequest,
    method: HttpRequest['method'],
    headers: Record<string, string>,
    body?: string,
    url = this.#options.url,
    redirects = 0,
  ): Promise<HttpResponse> {
    if (this.#isClosed || pending.isAbandoned) throw new ConnectionError('the request was given up');
    const { revision, clock } = pending;
    const exchange = this.#options.sender.send({ method, url, headers, body, revision }, clock);
    pending.exchange = exchange;
    const response = await exchange.response;
    if (!isRedirect(response.status)) return response;
    exchange.abort();
    const target = redirectTarget(url, response);
    if (redirects >= MAX_REDIRECTS)
      throw new HttpError(response.status, '', 'the server redirects without end');
    return this.#exchange(pending, method, headers, body, target, redirects + 1);
  }

  async #readAnswer(
    response: HttpResponse,
    request: Outgoing,
    headers: Headers,
    pending: PendingRequest,
  ): Promise<Response> {
    const { status } = response;
    const session = response.header(HEADER.sessionId);
    if (session !== undefined || request.method === 'initialize') this.sessionId = session;
    if (!isSuccess(status)) return this.#readRefusal(response, request, headers);
    if (isEventStream(response)) return this.#readAnswerStream(response, request, headers, pending);
    const type = response.header('content-type') ?? '';
    if (!/^application\/([\w.+-]+\+)?json\b/i.test(type)) {
      pending.hangUp();
      throw new InvalidAnswer(
        `the answer to ${request.method} is neither JSON nor a stream of events, but ${clip(type) || `nothing, with status ${status}`}`,
      );
    }
    const text = await response.text(this.#options.maxBytes);
    const found = this.#findAnswer(text, sourceOf(response, request, headers, pending));
    const answer = found instanceof Promise ? await found : found;
    if (!answer) throw new InvalidAnswer(`the HTTP response to ${request.method} contains no answer to it`);
    return answer;
  }

  /** A refusal may contain the JSON-RPC error for the request. For access and sessions, its HTTP status counts. */
  async #readRefusal(response: HttpResponse, request: Outgoing, headers: Headers): Promise<never> {
    const { status } = response;
    const text = await response.text(MAX_ERROR_BYTES).catch(() => '');
    const error = await readError(text, request);
    // Some servers report an unknown session with a 400 whose error has no id.
    const isAboutSession = status === 404 || (status === 400 && error?.id === undefined);
    const isAnswer = isAboutRequest(status) && !(isAboutSession && headers[HEADER.sessionId] !== undefined);
    const refusal = new HttpError(status, error?.outcome.error.message ?? text);
    if (!error) throw refusal;
    const { code, message, data } = error.outcome.error;
    // Only a server of the newest revision sends these codes, whatever becomes of its status.
    const isModern =
      error.id !== undefined && code <= ERROR.headerMismatch && code >= ERROR.unsupportedVersion;
    if (isAnswer || isModern) throw new McpError(code, message, data, { cause: refusal });
    refusal.cause = new McpError(code, message, data);
    throw refusal;
  }

  async #readAnswerStream(
    response: HttpResponse,
    request: Outgoing,
    headers: Headers,
    pending: PendingRequest,
  ): Promise<Response> {
    let answer: Response | undefined;
    const source = sourceOf(response, request, headers, pending);
    const stream = new EventStream(this.#options.maxBytes, event =>
      andThen(answer ?? this.#take(event, source), found => {
        answer = found;
        if (answer) pending.abandon();
      }),
    );
    const isOver = () => answer !== undefined || pending.isAbandoned;
    const canGoOn = () => request.isResumable && stream.lastEventId !== undefined;
    try {
      await stream.read(response);
    } catch (error) {
      if (!answer && !(error instanceof ConnectionError && canGoOn())) throw error;
    }
    if (!isOver() && canGoOn()) {
      // The response to initialize has named a session that its request could not name.
      const own = { ...headers, ...(source.session && { [HEADER.sessionId]: source.session }) };
      await this.#readStream(pending, stream, own, () => isOver() || !canGoOn()).catch(cause => {
        // Not an HttpError: that would say that the server refused the request, which may have been carried out.
        throw isBroken(cause) || cause instanceof HttpError ? cannotResume(request, cause) : cause;
      });
    }
    if (answer) return answer;
    throw new ConnectionError(`the stream ended without an answer to ${request.method}`);
  }

  /** Reads a stream with GET. Most servers need none, so its code is loaded on demand. */
  async #readStream(
    pending: PendingRequest,
    stream: EventStream,
    headers: Headers,
    isOver: () => boolean,
    onOpen?: () => void,
  ): Promise<void> {
    const read = await this.#options.loadReader();
    const get = async (own: Headers): Promise<HttpResponse> => {
      const all = { ...this.#options.headers, ...headers, ...own };
      const response = await this.#exchange(pending, 'GET', all);
      // The answer to initialize may come here, and with it the session.
      this.sessionId ??= response.header(HEADER.sessionId);
      return response;
    };
    await read.readStream({ get, pending, stream, isOver, isClosed: () => this.#isClosed, onOpen });
  }

  #findAnswer(text: string, source: Source): Awaitable<Response | undefined> {
    return findAnswer(text, source, this.#receive);
  }

  /** Handles one event. Returns the response to the request, if the event contains it. */
  #take({ data }: ServerEvent, source: Source): Awaitable<Response | undefined> {
    return looksLikeJson(data) ? this.#findAnswer(data, source) : undefined;
  }

  /** Handles one event of a stream without a pending request; malformed messages are ignored. */
  #takeUnsolicited(event: ServerEvent, source: Source): Awaitable<void> {
    return settle(
      () => this.#take(event, source),
      () => {},
      error => {
        if (!(error instanceof InvalidAnswer)) throw error;
      },
    );
  }
}

const POST_HEADERS: Headers = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

export function isEventStream(response: HttpResponse): boolean {
  return /^text\/event-stream\b/i.test(response.header('content-type') ?? '');
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

const UNATTENDED: Clock = { hold() {}, isUnattended: true };

/** Whatever happens to the requests for the rest of an answer, the request itself has reached the server. */
function cannotResume({ method }: Outgoing, cause: Error): ConnectionError {
  const why = cause instanceof HttpError ? `: ${cause.message}` : '';
  return new ConnectionError(
    `the stream with the answer to ${method} broke off and cannot be resumed${why}`,
    {
      cause,
    },
  );
}

/** A response to `initialize` names the session that it opens; any other one belongs to the session of its request. */
function sourceOf(
  response: HttpResponse,
  request: Outgoing,
  headers: Headers,
  pending: PendingRequest,
): Source {
  const session = headers[HEADER.sessionId] ?? response.header(HEADER.sessionId);
  return { request, session, isGivenUp: () => pending.isAbandoned };
}

/** Events without data keep streams alive; other data that is not JSON is ignored. */
function looksLikeJson(text: string): boolean {
  return /^\s*[[{]/.test(text);
}
