import { throwIfAborted } from '../base/abort.js';
import { isObject, type JsonObject } from '../base/json.js';
import { notificationText, type RequestId, type Response } from '../jsonrpc/message.js';
import type { Progress } from '../protocol/call.js';
import { McpError } from '../protocol/errors.js';
import { type TimeLimits, timeLimits } from './limits.js';
import type { RequestOptions } from './link.js';
import { Wait } from './wait.js';
import type { Headers, Wire } from './wire.js';

/** Of all links: a late answer to a probe must not be taken for that to the handshake after it on the same wire. */
let lastId = 0;

interface RequestsOptions {
  /** For requests that set none of their own. */
  limits: TimeLimits;
  /** Whether giving up a request tells the server so by itself. */
  disconnectCancels: boolean;
  /** Whether a stream with an answer that breaks off can be taken up again. */
  resumesStreams: boolean;
  /** The headers that go with every message. */
  headers(method: string, params: JsonObject): Headers;
}

/** What every request has that goes out over a link: an id, a time limit, progress, and a way to be given up. */
export class Requests {
  readonly #wire: Wire;
  readonly #options: RequestsOptions;
  /** Those that want to hear of progress. */
  readonly #progress = new Map<RequestId, (progress: Progress) => void>();

  constructor(wire: Wire, options: RequestsOptions) {
    this.#wire = wire;
    this.#options = options;
  }

  /** Sends a request and waits for its response. `withId` puts the id into the parameters, where it belongs there. */
  async send(
    method: string,
    params: JsonObject,
    options: RequestOptions & { cannotBeCancelled?: boolean; isBackground?: boolean },
    withId?: (params: JsonObject, id: RequestId) => JsonObject,
  ): Promise<JsonObject> {
    const { signal, onProgress } = options;
    throwIfAborted(signal);
    const id = ++lastId;
    const own = this.#options.headers(method, params);
    const headers = options.headers ? { ...own, ...options.headers } : own;
    const wait = new Wait(method, timeLimits(options, this.#options.limits), options.isBackground);
    const request = {
      id,
      method,
      params: withId ? withId(params, id) : params,
      isResumable: this.#options.resumesStreams,
    };
    const response = wait.for(this.#wire.request(request, headers, wait), signal, reason => {
      if (!options.cannotBeCancelled) this.#cancel(id, reason);
    });
    if (!onProgress) return readResult(await response);
    this.#progress.set(id, progress => {
      wait.progressed();
      onProgress(progress);
    });
    try {
      return readResult(await response);
    } finally {
      this.#progress.delete(id);
    }
  }

  notify(method: string, params: JsonObject | undefined, signal?: AbortSignal): Promise<void> {
    const text = notificationText(method, params);
    return this.#post(method, text, this.#options.headers(method, params ?? {}), signal);
  }

  /** Sends the answer to a request of the server. */
  answer(method: string, text: string): Promise<void> {
    return this.#post(`the answer to ${method}`, text, this.#options.headers(method, {}));
  }

  /** Takes a progress notification. One that belongs to nothing is ignored. */
  progressed(params: JsonObject): void {
    const { progressToken, progress, total, message } = params;
    const tell = this.#progress.get(progressToken as RequestId);
    if (!tell || typeof progress !== 'number') return;
    tell({
      progress,
      ...(typeof total === 'number' && { total }),
      ...(typeof message === 'string' && { message }),
    });
  }

  async #post(what: string, text: string, headers: Headers, signal?: AbortSignal): Promise<void> {
    const wait = new Wait(what, this.#options.limits);
    await wait.for(this.#wire.post(text, headers, wait), signal, () => {});
  }

  #cancel(requestId: RequestId, reason: string): void {
    if (this.#options.disconnectCancels) return;
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
