import { isObject, type JsonObject } from '../base/json.js';
import { notificationText, type RequestId, type Response } from '../jsonrpc/message.js';
import { McpError } from '../protocol/errors.js';
import { type RequestOptions, Wait } from './link.js';
import type { Headers, Wire } from './wire.js';

/** Of all links: a late answer to a probe must not be taken for that to the handshake after it on the same wire. */
let lastId = 0;

/** What every request has that goes out over a link: an id, a time limit, progress, and a way to be given up. */
export class Requests {
  readonly #wire: Wire;
  readonly #timeoutMs: number;
  readonly #headers: (method: string, params: JsonObject) => Headers;
  /** Those that want to hear of progress. */
  readonly #waits = new Map<RequestId, Wait<Response>>();
  readonly #disconnectCancels: boolean;

  /** `headers` are those that go with every message; `timeoutMs` is for requests that set none. */
  constructor(
    wire: Wire,
    options: {
      timeoutMs: number;
      disconnectCancels: boolean;
      headers: (method: string, params: JsonObject) => Headers;
    },
  ) {
    this.#wire = wire;
    this.#timeoutMs = options.timeoutMs;
    this.#headers = options.headers;
    this.#disconnectCancels = options.disconnectCancels;
  }

  /** Sends a request and waits for its response. `withId` puts the id into the parameters, where it belongs there. */
  async send(
    method: string,
    params: JsonObject,
    options: RequestOptions & { cannotBeCancelled?: boolean },
    withId?: (params: JsonObject, id: RequestId) => JsonObject,
  ): Promise<JsonObject> {
    const { signal, onProgress, timeoutMs = this.#timeoutMs } = options;
    signal?.throwIfAborted();
    const id = ++lastId;
    const own = this.#headers(method, params);
    const headers = options.headers ? { ...own, ...options.headers } : own;
    const sent = this.#wire.request({ id, method, params: withId ? withId(params, id) : params }, headers);
    const limits = { timeoutMs, maxTimeoutMs: options.maxTimeoutMs ?? timeoutMs * 5, signal, onProgress };
    const wait = new Wait(sent, method, limits, reason => {
      if (!options.cannotBeCancelled) this.#cancel(id, reason);
    });
    if (!onProgress) return readResult(await wait.response);
    this.#waits.set(id, wait);
    try {
      return readResult(await wait.response);
    } finally {
      this.#waits.delete(id);
    }
  }

  notify(method: string, params: JsonObject | undefined, signal?: AbortSignal): Promise<void> {
    const text = notificationText(method, params);
    return this.#post(method, text, this.#headers(method, params ?? {}), signal);
  }

  /** Sends the answer to a request of the server. */
  answer(method: string, text: string): Promise<void> {
    return this.#post(`the answer to ${method}`, text, this.#headers(method, {}));
  }

  /** Takes a progress notification. One that belongs to nothing is ignored. */
  progressed(params: JsonObject): void {
    const { progressToken, progress, total, message } = params;
    const wait = this.#waits.get(progressToken as RequestId);
    if (!wait || typeof progress !== 'number') return;
    wait.progressed({
      progress,
      ...(typeof total === 'number' && { total }),
      ...(typeof message === 'string' && { message }),
    });
  }

  async #post(what: string, text: string, headers: Headers, signal?: AbortSignal): Promise<void> {
    const limits = {
      timeoutMs: this.#timeoutMs,
      maxTimeoutMs: this.#timeoutMs,
      signal,
      onProgress: undefined,
    };
    await new Wait(this.#wire.post(text, headers), what, limits, () => {}).response;
  }

  #cancel(requestId: RequestId, reason: string): void {
    if (this.#disconnectCancels) return;
    this.notify('notifications/cancelled', { requestId, reason }).catch(() => {
      // Nobody is left to be told.
    });
  }
}

/** Parameters that ask for progress under a token. */
export function withProgressToken(params: JsonObject, token: RequestId): JsonObject {
  const meta = isObject(params._meta) ? params._meta : {};
  return { ...params, _meta: { ...meta, progressToken: token } };
}

function readResult({ outcome }: Response): JsonObject {
  if ('result' in outcome) return outcome.result;
  const { code, message, data } = outcome.error;
  throw new McpError(code, message, data);
}
