import { ConnectionError, HttpError } from '../protocol/failures.js';
import type { Transport } from '../protocol/transport.js';
import { readEvents } from './events.js';
import type { HttpExchange, HttpSender } from './send.js';
import type { HttpWireOptions } from './wire.js';

const MAX_ERROR_BYTES = 64 * 1024;
const ENDPOINT_TIMEOUT = 10_000;

/** The transport of the first revision: messages go out by POST, and everything comes back on one stream. */
export class SseTransport implements Transport {
  readonly #options: HttpWireOptions;
  readonly #sender: HttpSender;
  #stream: HttpExchange | undefined;
  #endpoint: string | undefined;
  #isClosed = false;

  constructor(options: HttpWireOptions) {
    this.#options = options;
    this.#sender = options.sender;
  }

  async start(receive: (text: string) => void, closed: (reason?: Error) => void): Promise<void> {
    const { url, headers, maxBytes } = this.#options;
    this.#stream = this.#sender.send({
      method: 'GET',
      url,
      headers: { ...headers, accept: 'text/event-stream' },
    });
    const response = await this.#stream.response;
    if (response.status !== 200 || !/^text\/event-stream\b/i.test(response.header('content-type') ?? '')) {
      throw new HttpError(response.status, await response.text(MAX_ERROR_BYTES).catch(() => ''));
    }
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#stream?.abort();
        reject(new ConnectionError('the stream did not say where to send messages'));
      }, ENDPOINT_TIMEOUT);
      const settled = (settle: () => void) => {
        clearTimeout(timer);
        settle();
      };
      const reading = readEvents(response, maxBytes, ({ name, data }) => {
        if (name === 'endpoint') {
          this.#endpoint ??= endpointWithin(url, data);
          settled(resolve);
        } else if (data !== '') receive(data);
      });
      const over = (reason?: Error) => {
        settled(() =>
          reject(reason ?? new ConnectionError('the stream ended before it said where to send messages')),
        );
        if (!this.#isClosed) closed(reason ?? new ConnectionError('the server ended the stream'));
      };
      reading.then(() => over(), over);
    });
  }

  async send(text: string): Promise<void> {
    const { headers } = this.#options;
    const exchange = this.#sender.send({
      method: 'POST',
      url: this.#endpoint as string,
      headers: { ...headers, 'content-type': 'application/json' },
      body: text,
    });
    const response = await exchange.response;
    const body = await response.text(MAX_ERROR_BYTES).catch(() => '');
    if (response.status >= 300) throw new HttpError(response.status, body);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stream?.abort();
    this.#sender.close();
  }
}

/** Where messages go. It must be on the same server, or what is sent could be led anywhere. */
function endpointWithin(url: string, endpoint: string): string {
  const target = new URL(endpoint, url);
  if (target.origin !== new URL(url).origin) {
    throw new ConnectionError(
      `the server wants messages to be sent to another one, ${target.origin}; that is refused`,
    );
  }
  return target.href;
}
