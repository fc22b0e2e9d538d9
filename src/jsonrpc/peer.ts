import { onAbort } from '../base/abort.js';
import { inBackground } from '../base/background.js';
import { clip } from '../base/clip.js';
import { isObject, type JsonObject } from '../base/json.js';
import type { Progress } from '../protocol/call.js';
import { invalidAnswer, McpError } from '../protocol/errors.js';
import { AnswerTimeout } from '../protocol/failures.js';
import { type Malformed, notificationText, type RequestId, type Response, requestText } from './message.js';

export interface PeerRequestOptions {
  /** Milliseconds until the request times out; progress restarts the timeout, up to `maxTimeoutMs`. */
  timeoutMs: number;
  maxTimeoutMs?: number;
  signal?: AbortSignal;
  onProgress?: ((progress: Progress) => void) | undefined;
  /** Whether the client has left for so long that it will hardly answer; asked from time to time. */
  isAbandoned?: () => boolean;
  /** Called with the weight of the answer. The request fails with the error that it returns, if any. */
  admit?: (weight: number) => Error | undefined;
}

/** How much of a client's reason is repeated. */
const MAX_REASON = 500;
/** How often an open request asks whether its client has left. */
const LOOK_MS = 10_000;

interface Pending {
  method: string;
  admit: ((weight: number) => Error | undefined) | undefined;
  resolve(result: JsonObject): void;
  reject(error: unknown): void;
  progress(progress: Progress): void;
}

/**
 * Sends requests from a server: gives them ids, waits for the responses, and ends each wait exactly once: with the
 * response, the timeout, the signal, or the end of the connection.
 */
export class Peer {
  /** Begins the ids, so that a node which gets a response knows the one that asked; empty for a single node. */
  readonly #prefix: string;
  readonly #pending = new Map<RequestId, Pending>();
  /** Random start: several nodes may send requests in one session, and must not take each other's responses. */
  readonly #firstId = Math.floor(Math.random() * 2 ** 48);
  #lastId = this.#firstId;

  constructor(prefix = '') {
    this.#prefix = prefix;
  }

  get waiting(): number {
    return this.#pending.size;
  }

  request(
    method: string,
    params: JsonObject | undefined,
    send: (text: string) => void,
    options: PeerRequestOptions,
  ): Promise<JsonObject> {
    const { timeoutMs, maxTimeoutMs = timeoutMs * 5, signal, onProgress, isAbandoned, admit } = options;
    signal?.throwIfAborted();
    const number = ++this.#lastId;
    const id = this.#prefix ? this.#prefix + number : number;
    return new Promise((resolve, reject) => {
      const giveUp = (error: unknown, reason: string) => {
        send(notificationText('notifications/cancelled', { requestId: id, reason }));
        end(() => reject(error));
      };
      const expire = () => {
        const error = new AnswerTimeout(`the client did not answer ${method} within ${timeoutMs} ms`);
        giveUp(error, 'the request timed out');
      };
      const look = () => {
        if (!isAbandoned?.()) return;
        giveUp(new AnswerTimeout(`the client left before it answered ${method}`), 'the client left');
      };
      const abort = () => giveUp(signal?.reason, 'the request is no longer needed');
      const end = (settle: () => void) => {
        clearTimeout(timer);
        clearTimeout(lastTimer);
        clearInterval(lookTimer);
        ignoreSignal?.();
        this.#pending.delete(id);
        settle();
      };

      let timer = setTimeout(expire, timeoutMs);
      const lastTimer = setTimeout(expire, maxTimeoutMs);
      const lookTimer = isAbandoned && inBackground(setInterval(look, LOOK_MS));
      const ignoreSignal = signal && onAbort(signal, abort);
      this.#pending.set(id, {
        method,
        admit,
        resolve: result => end(() => resolve(result)),
        reject: error => end(() => reject(error)),
        progress: progress => {
          clearTimeout(timer);
          timer = setTimeout(expire, timeoutMs);
          onProgress?.(progress);
        },
      });
      send(requestText(id, method, onProgress ? withProgressToken(params, id) : params));
    });
  }

  /** Handles a response; a late or second one is ignored. Returns whether the request was sent from here at all. */
  settle({ id, outcome, weight }: Response): boolean {
    const pending = id === undefined ? undefined : this.#pending.get(id);
    if (!pending) return id === undefined || this.#hasUsed(id);
    const noRoom = pending.admit?.(weight);
    if (noRoom) pending.reject(noRoom);
    else if ('result' in outcome) pending.resolve(outcome.result);
    else pending.reject(refusal(pending.method, outcome.error));
    return true;
  }

  #hasUsed(id: RequestId): boolean {
    // JSON-RPC wants the id back as it was sent, so "7" is none of these.
    if (typeof id !== (this.#prefix ? 'string' : 'number')) return false;
    const number = Number(String(id).slice(this.#prefix.length));
    return number > this.#firstId && number <= this.#lastId;
  }

  /** Handles a malformed response, since no other one will come. Returns whether a request was waiting for it. */
  settleMalformed({ answerTo, error }: Malformed): boolean {
    const pending = answerTo === undefined ? undefined : this.#pending.get(answerTo);
    if (!pending) return false;
    pending.reject(invalidAnswer(`the client's answer to ${pending.method} is malformed: ${error.message}`));
    return true;
  }

  /** Handles a progress notification for a request that is still waiting. */
  progress(params: JsonObject): void {
    const { progressToken, progress, total, message } = params;
    const pending = this.#pending.get(progressToken as RequestId);
    if (!pending || typeof progress !== 'number') return;
    pending.progress({
      progress,
      ...(typeof total === 'number' && { total }),
      ...(typeof message === 'string' && { message }),
    });
  }

  /** Ends every wait when the connection is gone. */
  close(error: Error): void {
    for (const pending of [...this.#pending.values()]) pending.reject(error);
  }
}

/** The error that a client answered a question with. It is no error of the request that the question belongs to. */
function refusal(method: string, error: { code: number; message: string; data?: unknown }): McpError {
  const message = `the client answered ${method} with an error: ${clip(error.message, MAX_REASON)}`;
  return new McpError(error.code, message, error.data, { reason: 'no-answer' });
}

function withProgressToken(params: JsonObject | undefined, token: RequestId): JsonObject {
  const meta = isObject(params?._meta) ? params._meta : {};
  return { ...params, _meta: { ...meta, progressToken: token } };
}
