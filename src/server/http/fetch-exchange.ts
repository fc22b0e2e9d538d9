import { Cancelled } from '../../base/errors.js';
import { Backlog } from './backlog.js';
import { BodyProblem, type Exchange, type StreamWriter } from './exchange.js';

/** An exchange over the fetch API. */
export class FetchExchange implements Exchange {
  readonly method: string;
  readonly isLocal = undefined;
  readonly #request: Request;
  readonly #url: URL;
  readonly #resolve: (response: Response) => void;
  readonly #onDisconnect = new Set<() => void>();
  #isGone: boolean;

  /** `resolve` receives the response. */
  constructor(request: Request, resolve: (response: Response) => void) {
    this.method = request.method;
    this.#request = request;
    this.#url = new URL(request.url);
    this.#resolve = resolve;
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

  readBody(limit: number, done: (body: string | BodyProblem) => void): void {
    void readText(this.#request, limit).then(done);
  }

  onDisconnect(callback: () => void): void {
    if (this.#isGone) callback();
    else this.#onDisconnect.add(callback);
  }

  respond(status: number, json?: string, headers?: Readonly<Record<string, string>>): void {
    const type = json === undefined ? undefined : { 'content-type': 'application/json' };
    this.#resolve(new Response(json ?? null, { status, headers: { ...type, ...headers } }));
  }

  stream(status: number, headers: Readonly<Record<string, string>>): StreamWriter {
    const stream = new FetchStream(() => this.#disconnect());
    this.#resolve(new Response(stream.readable, { status, headers }));
    return stream;
  }

  #disconnect(): void {
    this.#isGone = true;
    for (const callback of this.#onDisconnect) callback();
    this.#onDisconnect.clear();
  }
}

async function readText(request: Request, limit: number): Promise<string | BodyProblem> {
  if (Number(request.headers.get('content-length')) > limit) return BodyProblem.tooLarge(limit);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let size = 0;
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength;
      if (size > limit) return BodyProblem.tooLarge(limit);
      text += decoder.decode(chunk, { stream: true });
    }
    return text + decoder.decode();
  } catch (error) {
    return error instanceof TypeError ? BodyProblem.notUtf8() : BodyProblem.cutOff();
  }
}

/** The body of a response that is sent in pieces. */
class FetchStream implements StreamWriter {
  readonly readable: ReadableStream<Uint8Array>;
  isOpen = true;
  readonly #encoder = new TextEncoder();
  readonly #backlog = new Backlog();
  readonly #onCancel: () => void;
  #controller!: ReadableStreamDefaultController<Uint8Array>;

  /** `onCancel` is called when the reader disconnects, or is disconnected. */
  constructor(onCancel: () => void) {
    this.#onCancel = onCancel;
    this.readable = new ReadableStream<Uint8Array>(
      {
        start: controller => {
          this.#controller = controller;
        },
        cancel: () => {
          this.isOpen = false;
          onCancel();
        },
      },
      // With these, `desiredSize` tells how many bytes are queued.
      { highWaterMark: 0, size: chunk => chunk.byteLength },
    );
  }

  write(text: string): void {
    if (!this.isOpen) return;
    if (!this.#backlog.isTooMuch(-(this.#controller.desiredSize ?? 0))) {
      return this.#controller.enqueue(this.#encoder.encode(text));
    }
    this.isOpen = false;
    this.#controller.error(new Cancelled('the reader of this stream is too slow'));
    this.#onCancel();
  }

  end(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.#controller.close();
  }
}
