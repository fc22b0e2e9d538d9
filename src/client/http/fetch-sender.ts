import { onAbort } from '../../base/abort.js';
import type { Awaitable } from '../../base/settle.js';
import { ConnectionError, InvalidAnswer } from '../../protocol/failures.js';
import { ByteCollector } from './byte-collector.js';
import type { HttpExchange, HttpRequest, HttpResponse, HttpSender } from './send.js';
import { describeFailure, sendFailure, unknownFailure } from './send-failure.js';

/** Sends requests with `fetch`, which every runtime has. */
export function createFetchSender(fetch: typeof globalThis.fetch = globalThis.fetch): HttpSender {
  return {
    send: request => send(fetch, request),
    close() {},
  };
}

function send(fetch: typeof globalThis.fetch, { method, url, headers, body }: HttpRequest): HttpExchange {
  const controller = new AbortController();
  const options: RequestInit = {
    method,
    headers,
    redirect: 'manual',
    signal: controller.signal,
    ...(body !== undefined && { body }),
  };
  return {
    response: fetch(url, options).then(
      response => new FetchResponse(response, controller.signal),
      thrown => {
        // A function of the author may have tried several times.
        throw fetch === globalThis.fetch ? sendFailure(thrown) : unknownFailure(thrown);
      },
    ),
    abort: () => controller.abort(),
  };
}

class FetchResponse implements HttpResponse {
  readonly #response: Response;
  readonly #signal: AbortSignal;

  constructor(response: Response, signal: AbortSignal) {
    this.#response = response;
    this.#signal = signal;
  }

  get status(): number {
    return this.#response.status;
  }

  header(name: string): string | undefined {
    return this.#response.headers.get(name) ?? undefined;
  }

  async text(limit: number): Promise<string> {
    const body = new ByteCollector();
    await this.read(chunk => {
      if (body.size + chunk.length > limit)
        throw new InvalidAnswer(`the answer is larger than ${limit} bytes`);
      body.add(chunk);
    });
    return new TextDecoder().decode(body.bytes);
  }

  async read(onChunk: (bytes: Uint8Array) => Awaitable<void>): Promise<void> {
    const reader = this.#response.body?.getReader();
    if (!reader) return;
    let ignoreSignal: (() => void) | undefined;
    // In some runtimes a reader waits forever if all data arrived before the signal aborts.
    const aborted = new Promise<never>((_, reject) => {
      ignoreSignal = onAbort(this.#signal, () => reject(new ConnectionError('the answer was given up')));
    });
    try {
      await Promise.race([readAll(reader, onChunk), aborted]);
    } finally {
      ignoreSignal?.();
      reader.cancel().catch(() => {});
    }
  }
}

async function readAll(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  onChunk: (bytes: Uint8Array) => Awaitable<void>,
): Promise<void> {
  for (;;) {
    const { done, value } = await reader.read().catch(cause => {
      throw new ConnectionError(`the answer broke off: ${describeFailure(cause)}`, { cause });
    });
    if (done) return;
    const taking = onChunk(value);
    if (taking instanceof Promise) await taking;
  }
}
