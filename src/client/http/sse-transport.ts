import type { Awaitable } from '../../base/settle.js';
import { parseUrl } from '../../base/url.js';
import { ConnectionError, HttpError } from '../../protocol/failures.js';
import type { Transport } from '../../protocol/transport.js';
import { MAX_ERROR_BYTES, SSE_ENDPOINT_TIMEOUT_MS, TIMEOUT_MS } from '../limits.js';
import type { Clock, Headers } from '../wire.js';
import { readEvents } from './events.js';
import type { HttpExchange, HttpRequest, HttpSender } from './send.js';
import type { HttpWireOptions } from './streamable-http.js';

/** The HTTP+SSE transport of the first revision: the client sends with POST, and the server responds on one stream. */
export class SseTransport implements Transport {
  readonly #options: HttpWireOptions;
  readonly #sender: HttpSender;
  readonly #running = new Set<HttpExchange>();
  #endpoint: string | undefined;
  #isClosed = false;

  constructor(options: HttpWireOptions) {
    this.#options = options;
    this.#sender = options.sender;
  }

  async start(receive: (text: string) => Awaitable<void>, closed: (reason?: Error) => void): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tooLate = new Promise<never>((_, reject) => {
      const error = new ConnectionError('the stream did not say where to send messages');
      timer = setTimeout(() => reject(error), SSE_ENDPOINT_TIMEOUT_MS);
    });
    try {
      await Promise.race([this.#open(receive, closed), tooLate]);
    } finally {
      clearTimeout(timer);
    }
  }

  async #open(receive: (text: string) => Awaitable<void>, closed: (reason?: Error) => void): Promise<void> {
    const { url, headers, maxBytes } = this.#options;
    const stream = this.#send({ method: 'GET', url, headers: { ...headers, accept: 'text/event-stream' } });
    const response = await stream.response;
    if (response.status !== 200 || !/^text\/event-stream\b/i.test(response.header('content-type') ?? '')) {
      throw new HttpError(response.status, await response.text(MAX_ERROR_BYTES).catch(() => ''));
    }
    await new Promise<void>((resolve, reject) => {
      const reading = readEvents(response, maxBytes, ({ name, data }) => {
        if (name === 'endpoint') {
          this.#endpoint ??= endpointWithin(url, data);
          resolve();
        } else if (data !== '' && (name ?? 'message') === 'message') return receive(data);
      });
      const over = (reason = new ConnectionError('the server ended the stream')) => {
        reject(reason);
        if (!this.#isClosed) closed(reason);
      };
      reading.then(() => over(), over);
    });
  }

  async send(text: string, headers: Headers = {}, clock?: Clock): Promise<void> {
    const request: HttpRequest = {
      method: 'POST',
      url: this.#endpoint as string,
      headers: { ...this.#options.headers, ...headers, 'content-type': 'application/json' },
      body: text,
    };
    const exchange = this.#send(request, clock);
    const timer = setTimeout(() => exchange.abort(), TIMEOUT_MS);
    try {
      const response = await exchange.response;
      const body = await response.text(MAX_ERROR_BYTES).catch(() => '');
      if (response.status >= 300) throw new HttpError(response.status, body);
    } finally {
      clearTimeout(timer);
      this.#running.delete(exchange);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const exchange of this.#running) exchange.abort();
    this.#sender.close();
  }

  #send(request: HttpRequest, clock?: Clock): HttpExchange {
    const exchange = this.#sender.send(request, clock);
    this.#running.add(exchange);
    return exchange;
  }
}

/** The URL to send messages to. It must be on the same origin, or a server could redirect the messages anywhere. */
function endpointWithin(url: string, endpoint: string): string {
  const target = parseUrl(endpoint, url);
  if (target?.origin === new URL(url).origin) return target.href;
  throw new ConnectionError(
    `the server wants messages to be sent to ${target?.origin ?? 'an invalid URL'} instead of its own origin; that is refused`,
  );
}
