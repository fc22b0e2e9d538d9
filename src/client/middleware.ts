import { UsageError } from '../base/errors.js';
import type { JsonObject } from '../base/json.js';
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

  add(middleware: ClientMiddleware): void {
    const layer = typeof middleware === 'function' ? { request: middleware } : middleware;
    if (!KINDS.some(kind => typeof layer?.[kind] === 'function'))
      throw new UsageError(`middleware must be a function, or an object with ${KINDS.join(', ')}`);
    this.layers.push({ ...layer, name: middleware.name || 'unnamed' });
  }

  /** Passes a request or a question through all layers, outermost first. */
  pass<M extends object, R>(
    kind: 'request' | 'question',
    message: M,
    last: (message: M) => Promise<R>,
    at = 0,
  ): Promise<R> {
    const layer = this.layers[at];
    if (!layer) return last(message);
    const proceed = (changes?: object) => this.pass(kind, { ...message, ...changes }, last, at + 1);
    const run = layer[kind] as ((message: M, next: typeof proceed) => Promise<R>) | undefined;
    if (!run) return proceed();
    return Promise.resolve(run(message, proceed)).then(outcome => {
      if (outcome === undefined)
        throw new UsageError(`middleware "${layer.name}" returned nothing for a ${kind}`);
      return outcome;
    });
  }

  /** The parameters of a notification after all layers; undefined if one dropped it. */
  passNotification(kind: 'receive' | 'send', message: ClientMessage, at = 0): JsonObject | undefined {
    const layer = this.layers[at];
    if (!layer) return message.params;
    let passed: JsonObject | undefined;
    const proceed = (changes?: object) => {
      passed = this.passNotification(kind, { ...message, ...changes }, at + 1);
    };
    const { [kind]: run = (_: unknown, next: () => void) => next() } = layer;
    run(message, proceed);
    return passed;
  }
}
