import { copyPlain } from '../base/copy-plain.js';
import { UsageError } from '../base/errors.js';
import { isObject, type JsonObject } from '../base/json.js';
import { settle } from '../base/settle.js';
import { messageOf } from '../base/thrown.js';
import { readOnly, Views } from '../base/views.js';
import type { InputRequest, InputResponse } from '../protocol/input.js';
import type { WorkLimits, withinLimits } from './within-limits.js';

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
  /** Throws if parameters that layers have changed must not be sent: the rules for authors hold for them as well. */
  readonly check: (method: string, params: JsonObject) => Promise<void>;
  readonly #warn: (message: string) => void;
  readonly #loadLimits: () => Promise<{ withinLimits: typeof withinLimits }>;

  constructor(
    warn: (message: string) => void,
    check: ClientMiddlewareStack['check'],
    loadLimits: () => Promise<{ withinLimits: typeof withinLimits }>,
  ) {
    this.#warn = warn;
    this.check = check;
    this.#loadLimits = loadLimits;
  }

  add(middleware: ClientMiddleware): void {
    const layer = typeof middleware === 'function' ? { request: middleware } : middleware;
    const kinds = KINDS.filter(kind => layer?.[kind] !== undefined);
    if (kinds.length === 0 || !kinds.every(kind => typeof layer[kind] === 'function'))
      throw new UsageError(`middleware must be a function, or an object with ${KINDS.join(', ')}`);
    this.layers.push({ ...layer, name: middleware.name || 'unnamed' });
  }

  /**
   * Passes a request through all layers to `send`, which gets the parameters as they leave the last layer. Layers may never
   * call `next`, so the limits of the request hold for them, too; a request in the background has none.
   */
  async passRequest(
    request: ClientRequest,
    limits: WorkLimits | undefined,
    send: (params: JsonObject) => Promise<JsonObject>,
  ): Promise<JsonObject> {
    const { method } = request;
    let hasPassed = false;
    const passed = this.pass('request', request, async ({ params }) => {
      hasPassed = true;
      if (params !== request.params) await this.check(method, params);
      return send(params);
    });
    if (!limits) return passed;
    // It may fail while the code is loaded.
    passed.catch(() => {});
    const { withinLimits } = await this.#loadLimits();
    return withinLimits(passed, method, { ...limits, hasPassed: () => hasPassed });
  }

  /** Passes a request or a question through all layers, outermost first. */
  async pass<M extends object, R>(
    kind: 'request' | 'question',
    message: M,
    last: (message: M) => Promise<R>,
    at = 0,
    views = new Views(),
  ): Promise<R> {
    const layer = this.layers[at];
    if (!layer) return last(message);
    const run = layer[kind] as ((message: M, next: typeof proceed) => Promise<R>) | undefined;
    const pass = (passed: M) => this.pass(kind, passed, last, at + 1, views);
    if (!run) return pass(message);
    const proceed = async (changes?: object) => views.of(await pass(changed(message, changes, layer.name)));
    const outcome = await run(views.of(message), proceed);
    if (outcome === undefined)
      throw new UsageError(`middleware "${layer.name}" returned nothing for a ${kind}`);
    return views.behind(outcome);
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

/** A message with the changes of a layer. */
function changed<M extends object>(message: M, changes: object | undefined, name: string): M {
  const member = 'params' in message ? 'params' : 'question';
  const value: unknown = (changes as JsonObject | undefined)?.[member];
  if (value === undefined) return message;
  if (!isObject(value) || (member === 'question' && typeof value.method !== 'string'))
    throw new UsageError(
      `middleware "${name}" must pass ${member === 'question' ? 'a question with a method' : 'an object as params'} to next`,
    );
  return { ...message, [member]: copyPlain(value) };
}
