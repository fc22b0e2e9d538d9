import { copyPlain } from '../base/copy-plain.js';
import { UsageError } from '../base/errors.js';
import { frozenCopy } from '../base/frozen-copy.js';
import { isObject, type JsonObject } from '../base/json.js';
import { settle } from '../base/settle.js';
import { messageOf } from '../base/thrown.js';
import type { InputRequest, InputResponse } from '../protocol/input.js';

/** A notification as middleware sees it. */
export interface ClientMessage {
  readonly method: string;
  readonly params: JsonObject;
}

/** A request to the server. */
export interface ClientRequest extends ClientMessage {
  /** Aborts when the user of the client cancels the request. */
  readonly signal: AbortSignal | undefined;
}

/** A question of the server. */
export interface ClientQuestion {
  readonly question: InputRequest;
}

/** Runs around a request. `next` sends it; to retry, call it again. */
export type ClientRequestMiddleware = (
  request: ClientRequest,
  next: (changes?: { params?: JsonObject }) => Promise<JsonObject>,
) => Promise<JsonObject>;

/** Runs around a notification. It must call `next` before it returns; a notification that it does not pass on is dropped. */
export type ClientNotificationMiddleware = (
  notification: ClientMessage,
  next: (changes?: { params?: JsonObject }) => void,
) => void;

/**
 * Middleware of a client around the messages of both directions, each as it is sent or received: a call of several rounds
 * is several requests.
 *
 * @example
 * client.use({ name: 'quiet', receive: (notification, next) => isWanted(notification) && next() });
 */
export interface ClientMiddlewareLayer {
  /** Its name in `client.middleware` and in errors. */
  readonly name?: string | undefined;
  /** A request to the server, and its response. */
  readonly request?: ClientRequestMiddleware | undefined;
  /** A question of the server, and its answer. */
  readonly question?:
    | ((
        asked: ClientQuestion,
        next: (changes?: { question?: InputRequest }) => Promise<InputResponse>,
      ) => Promise<InputResponse>)
    | undefined;
  /** A notification of the server. */
  readonly receive?: ClientNotificationMiddleware | undefined;
  /** A notification to the server. */
  readonly send?: ClientNotificationMiddleware | undefined;
}

/** What `client.use` takes: a function around requests, or an object around several kinds of messages. */
export type ClientMiddleware = ClientRequestMiddleware | ClientMiddlewareLayer;

const KINDS = ['request', 'question', 'receive', 'send'] as const;

/** The middleware of a client, and the way of messages through it. */
export class ClientMiddlewareStack {
  readonly layers: (ClientMiddlewareLayer & { name: string })[] = [];
  readonly #warn: (message: string) => void;

  constructor(warn: (message: string) => void) {
    this.#warn = warn;
  }

  add(middleware: ClientMiddleware): void {
    const layer = typeof middleware === 'function' ? { request: middleware } : middleware;
    if (!KINDS.some(kind => typeof layer?.[kind] === 'function'))
      throw new UsageError(`middleware must be a function, or an object with ${KINDS.join(', ')}`);
    this.layers.push({ ...layer, name: middleware.name || 'unnamed' });
  }

  /** Passes a request or a question through all layers, outermost first. */
  async pass<M extends object, R>(
    kind: 'request' | 'question',
    message: M,
    last: (message: M) => Promise<R>,
    at = 0,
  ): Promise<R> {
    const layer = this.layers[at];
    if (!layer) return last(message);
    const run = layer[kind] as ((message: M, next: typeof proceed) => Promise<R>) | undefined;
    const proceed = (changes?: object) =>
      this.pass(kind, changed(message, changes, layer.name), last, at + 1);
    if (!run) return proceed();
    const outcome = await run(readOnly(message), proceed);
    if (outcome === undefined)
      throw new UsageError(`middleware "${layer.name}" returned nothing for a ${kind}`);
    return outcome;
  }

  /**
   * The parameters of a notification after all layers; undefined if one dropped it. An error on a received notification
   * is a warning; one on a notification that is sent goes to the sender, unless the layer is asynchronous.
   */
  passNotification(kind: 'receive' | 'send', message: ClientMessage, at = 0): JsonObject | undefined {
    const layer = this.layers[at];
    if (!layer) return message.params;
    const run = layer[kind];
    if (!run) return this.passNotification(kind, message, at + 1);
    const who = `middleware "${layer.name}"`;
    let passed: JsonObject | undefined;
    let isOver = false;
    const next = (changes?: object) => {
      if (isOver) throw new UsageError(`${who} called next too late, or twice`);
      isOver = true;
      passed = this.passNotification(kind, changed(message, changes, layer.name), at + 1);
    };
    let hasReturned = false;
    settle(
      () => run(readOnly(message), next),
      () => {},
      thrown => {
        if (kind === 'send' && !hasReturned) throw thrown;
        passed = undefined;
        this.#warn(`${who} failed on ${message.method}: ${messageOf(thrown)}`);
      },
    );
    hasReturned = true;
    isOver = true;
    return passed;
  }
}

/** A message as a layer sees it: what it changes in place would not be checked, and not always be sent. */
function readOnly<M extends object>(message: M): M {
  const members = Object.entries(message).map(([name, value]) => [
    name,
    value instanceof AbortSignal ? value : frozenCopy(value),
  ]);
  return Object.freeze(Object.fromEntries(members));
}

/** A message with the changes of a layer. */
function changed<M extends object>(message: M, changes: object | undefined, name: string): M {
  const member = 'params' in message ? 'params' : 'question';
  const value: unknown = (changes as JsonObject | undefined)?.[member];
  if (value === undefined) return message;
  if (!isObject(value)) throw new UsageError(`middleware "${name}" must pass an object as ${member} to next`);
  return { ...message, [member]: copyPlain(value) };
}
