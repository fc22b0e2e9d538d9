import { isObject, type JsonObject } from '../../base/json.js';
import { RateLimit } from '../../base/rate-limit.js';
import { type Malformed, type Message, type RequestId, readMessage } from '../../jsonrpc/message.js';
import { ERROR } from '../../protocol/errors.js';
import { measure } from '../weight.js';
import {
  MAX_MESSAGE_LENGTH,
  MAX_VALUES,
  MESSAGE_BURST,
  MESSAGES_PER_SECOND,
  REFUSAL_BURST,
} from './limits.js';
import type { AppFrame } from './options.js';
import { hostWindow, type PostedMessage } from './window.js';

/** Why an app that floods its host is ended. */
export const TOO_MANY_MESSAGES = 'the app sent too many messages';
/** How long an app that sends too much should wait. */
const RETRY_AFTER_MS = 1000;
/** How many refusals per second an app may cause on average. */
const REFUSALS_PER_SECOND = 10;

/** The messages of a frame. Only those of its window and of the origin of the sandbox are taken, and not too many. */
export class Channel {
  readonly #frame: AppFrame;
  readonly #origin: string;
  readonly #take: (message: Message | Malformed) => void;
  readonly #end: (reason: string) => void;
  readonly #rate = new RateLimit(MESSAGES_PER_SECOND, MESSAGE_BURST);
  readonly #refusals = new RateLimit(REFUSALS_PER_SECOND, REFUSAL_BURST);

  constructor(
    frame: AppFrame,
    origin: string,
    take: (message: Message | Malformed) => void,
    end: (reason: string) => void,
  ) {
    this.#frame = frame;
    this.#origin = origin;
    this.#take = take;
    this.#end = end;
    hostWindow.addEventListener('message', this.#listen);
  }

  notify(method: string, params: JsonObject = {}): void {
    this.#post({ jsonrpc: '2.0', method, params });
  }

  request(id: RequestId, method: string, params: JsonObject = {}): void {
    this.#post({ jsonrpc: '2.0', id, method, params });
  }

  respond(id: RequestId, result: JsonObject): void {
    this.#post({ jsonrpc: '2.0', id, result });
  }

  refuse(id: RequestId, { code, message, data }: { code: number; message: string; data?: unknown }): void {
    this.#post({ jsonrpc: '2.0', id, error: { code, message, ...(data !== undefined && { data }) } });
  }

  close(): void {
    hostWindow.removeEventListener('message', this.#listen);
  }

  /** Never to `*`: another page may stand in the frame by now. */
  #post(message: object): void {
    this.#frame.contentWindow?.postMessage(message, this.#origin);
  }

  readonly #listen = (event: PostedMessage): void => {
    if (event.source !== this.#frame.contentWindow || event.origin !== this.#origin) return;
    if (!this.#rate.take()) return this.#refuse(event.data);
    const weight = measure(event.data, MAX_VALUES);
    const isSmall = weight && weight.characters <= MAX_MESSAGE_LENGTH;
    const message = isSmall ? readMessage(plainCopy(event.data)) : TOO_LARGE(event.data);
    if (message.kind !== 'malformed') return this.#take(message);
    if (message.id !== undefined) this.refuse(message.id, message.error);
  };

  #refuse(data: unknown): void {
    if (!this.#refusals.take()) return this.#end(TOO_MANY_MESSAGES);
    const id = idOf(data);
    if (id === undefined) return;
    const message = `the app sends more than ${MESSAGES_PER_SECOND} messages per second`;
    this.refuse(id, { code: ERROR.busy, message, data: { retryAfterMs: RETRY_AFTER_MS } });
  }
}

const TOO_LARGE = (data: unknown): Malformed => ({
  kind: 'malformed',
  id: idOf(data),
  error: {
    code: ERROR.invalidRequest,
    message: `a message of an app may have ${MAX_VALUES} values and ${MAX_MESSAGE_LENGTH} characters`,
  },
});

/** The id of a message that is not read any further. */
function idOf(data: unknown): RequestId | undefined {
  if (!isObject(data) || typeof data.method !== 'string') return undefined;
  const { id } = data;
  return typeof id === 'number' || (typeof id === 'string' && id.length <= 256) ? id : undefined;
}

/** A message as JSON: windows can also post dates, buffers, and values that JSON does not have. */
function plainCopy(data: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(data) ?? 'null');
  } catch {
    return undefined;
  }
}
