import { Cancelled } from '../../base/errors.js';
import { checkOptions } from '../../base/options.js';
import { type Servable, serviceOf } from '../../protocol/service.js';
import { Backlog } from './backlog.js';
import { BodyProblem, type Exchange, type StreamWriter } from './exchange.js';
import { createHttpHandler, HANDLER_OPTIONS, type HandlerOptions } from './handler.js';

/** A server as a function from `Request` to `Response`, for Bun, Deno, workerd, and frameworks built on them. */
export interface FetchHandler {
  (request: Request): Promise<Response>;
  /** Refuses new requests, ends streams, and waits for calls up to `graceMs`. */
  close(graceMs?: number): Promise<void>;
}

/**
 * Serves a server through the fetch API.
 *
 * @example
 * export default { fetch: fetchHandler(server) };
 */
export function fetchHandler(server: Servable, options: HandlerOptions = {}): FetchHandler {
  const service = serviceOf(server, 'fetchHandler');
  checkOptions(options, HANDLER_OPTIONS, 'fetchHandler');
  const handler = createHttpHandler(service, options);
  const serve = (request: Request) =>
    new Promise<Response>(resolve => {
      handler.handle(createExchange(request, resolve));
    });
  return Object.assign(serve, { close: (graceMs?: number) => handler.close(graceMs) });
}

function createExchange(request: Request, resolve: (response: Response) => void): Exchange {
  const url = new URL(request.url);
  const onDisconnect = new Set<() => void>();
  let isGone = request.signal.aborted;
  const disconnect = () => {
    isGone = true;
    for (const callback of onDisconnect) callback();
    onDisconnect.clear();
  };
  request.signal.addEventListener('abort', disconnect);

  return {
    method: request.method,
    path: url.pathname,
    query: url.searchParams,
    isLocal: undefined,
    // The Host header is not visible everywhere, but the URL was made from it.
    header: name => request.headers.get(name) ?? (name === 'host' ? url.host : undefined),
    // The fetch API joins repeated headers, so a repetition shows only as a value that does not match.
    isRepeated: () => false,
    readBody: (limit, done) => void readBody(request, limit).then(done),
    onDisconnect(callback) {
      if (isGone) callback();
      else onDisconnect.add(callback);
    },
    respond(status, json, headers) {
      const type = json === undefined ? undefined : { 'content-type': 'application/json' };
      resolve(new Response(json ?? null, { status, headers: { ...type, ...headers } }));
    },
    stream(status, headers) {
      const { readable, writer } = createStream(disconnect);
      resolve(new Response(readable, { status, headers }));
      return writer;
    },
  };
}

async function readBody(request: Request, limit: number): Promise<string | BodyProblem> {
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

function createStream(onCancel: () => void): { readable: ReadableStream<Uint8Array>; writer: StreamWriter } {
  const encoder = new TextEncoder();
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  const backlog = new Backlog();
  let isOpen = true;
  const readable = new ReadableStream<Uint8Array>(
    {
      start(started) {
        controller = started;
      },
      cancel() {
        isOpen = false;
        onCancel();
      },
    },
    // So that `desiredSize` tells how much is waiting.
    { highWaterMark: 0, size: chunk => chunk.byteLength },
  );
  const close = () => {
    if (!isOpen) return;
    isOpen = false;
    controller.close();
  };
  return {
    readable,
    writer: {
      get isOpen() {
        return isOpen;
      },
      write(text) {
        if (!isOpen) return;
        if (!backlog.isTooMuch(-(controller.desiredSize ?? 0)))
          return controller.enqueue(encoder.encode(text));
        isOpen = false;
        controller.error(new Cancelled('the reader of this stream is too slow'));
        onCancel();
      },
      end: close,
    },
  };
}
