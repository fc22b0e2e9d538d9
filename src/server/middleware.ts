import { UsageError } from '../base/errors.js';
import { copyJson, isObject, type JsonObject } from '../base/json.js';
import { settle } from '../base/settle.js';
import { readOnly } from '../base/views.js';
import type { Call, Result } from '../protocol/call.js';
import type { InputRequest, InputResponse } from '../protocol/input.js';
import type { NotificationSender } from '../protocol/service.js';

/**
 * A call with the additions for middleware. It cannot be changed, and neither can what it consists of: pass changes to
 * `next`.
 */
export interface MiddlewareCall extends Omit<Call, 'asking'> {
  /** The name of the tool or prompt, or the URI of the resource. */
  readonly target: string | undefined;
  readonly principal: string | undefined;
  /** The settings that the client declared for an extension; undefined if it did not declare the extension. */
  extension(id: string): JsonObject | undefined;
}

/** The members of a call that middleware can replace for everything inside. */
export type CallReplacements = Partial<
  Omit<Call, 'method' | 'params' | 'revision' | 'client' | 'caller' | 'asking'>
>;

/** What middleware changes in a call that it passes on. */
export interface CallChanges {
  /** Other parameters. */
  readonly params?: JsonObject;
  /**
   * Replaces members of the call, such as its signal, so that a handler can go on without the request that it began with.
   * `below` is the call that is replaced: its `notify` and `ask` lead to the client, past the middleware. What the handler
   * sends with a replaced `notify` or `ask` has passed the middleware before it comes there.
   *
   * @example
   * const own = new AbortController();
   * server.use((call, next) => next({ replace: () => ({ signal: own.signal }) }));
   */
  readonly replace?: (below: MiddlewareCall) => CallReplacements;
}

/** Continues with the call, with changes if some are given. It can be called once. */
export type Next = (changes?: CallChanges) => Promise<Result>;

/**
 * Runs around every request: it may throw to refuse it, change its parameters or its result, answer without `next`, time
 * it, log it.
 *
 * @example
 * server.use(async (call, next) => {
 *   const start = performance.now();
 *   try {
 *     return await next();
 *   } finally {
 *     console.error(call.method, call.target, call.revision, performance.now() - start);
 *   }
 * });
 */
export type RequestMiddleware = (call: MiddlewareCall, next: Next) => Promise<Result>;

/** A question to the client. */
export interface MiddlewareQuestion extends NotificationSender {
  readonly question: InputRequest;
}

/** A notification that is received from the client, or sent to it. */
export interface MiddlewareNotification extends NotificationSender {
  readonly method: string;
  readonly params: JsonObject;
}

/**
 * Runs around every question to the client. On the revisions with rounds it runs again in each round, and `next` must be
 * called before anything is awaited, so that questions of the same turn are sent together.
 */
export type QuestionMiddleware = (
  asked: MiddlewareQuestion,
  next: (changes?: { question?: InputRequest }) => Promise<InputResponse>,
) => Promise<InputResponse>;

/** Runs around a notification. It must call `next` before it returns; a notification that it does not pass on is dropped. */
export type NotificationMiddleware = (
  notification: MiddlewareNotification,
  next: (changes?: { params?: JsonObject }) => void,
) => void;

/**
 * Middleware around several kinds of messages.
 *
 * @example
 * server.use({
 *   name: 'audit',
 *   request: async (call, next) => audit(call.method, await next()),
 *   question: (asked, next) => next(),
 *   receive: (notification, next) => next(),
 *   send: (notification, next) => notification.method !== 'notifications/message' && next(),
 * });
 */
export interface MiddlewareLayer {
  /** Its name in `server.middleware` and in errors. */
  readonly name?: string | undefined;
  /** A request of the client, and its response. */
  readonly request?: RequestMiddleware | undefined;
  /** A question to the client, and its answer. */
  readonly question?: QuestionMiddleware | undefined;
  /** A notification of the client. */
  readonly receive?: NotificationMiddleware | undefined;
  /** A notification to the client: progress, logs, changes, and those of extensions, on every stream. */
  readonly send?: NotificationMiddleware | undefined;
}

/** What `server.use` takes: a function around requests, or an object around several kinds of messages. */
export type Middleware = RequestMiddleware | MiddlewareLayer;

/** The middleware of one kind of message. */
export interface Named<L> {
  readonly name: string;
  readonly run: L;
}

const KINDS = ['request', 'question', 'receive', 'send'] as const;

/** All middleware of a server by the kind of messages, outermost first. */
export class MiddlewareStack {
  readonly names: string[] = [];
  readonly request: Named<RequestMiddleware>[] = [];
  readonly question: Named<QuestionMiddleware>[] = [];
  readonly receive: Named<NotificationMiddleware>[] = [];
  readonly send: Named<NotificationMiddleware>[] = [];
  readonly #report: (error: unknown, where: string) => void;

  constructor(report: (error: unknown, where: string) => void) {
    this.#report = report;
  }

  add(middleware: Middleware): void {
    const layer = typeof middleware === 'function' ? { request: middleware } : middleware;
    const kinds = KINDS.filter(kind => layer?.[kind] !== undefined);
    if (kinds.length === 0 || !kinds.every(kind => typeof layer[kind] === 'function'))
      throw new UsageError(`middleware must be a function, or an object with ${KINDS.join(', ')}`);
    const name = middleware.name || 'unnamed';
    this.names.push(name);
    for (const kind of kinds) (this[kind] as Named<unknown>[]).push({ name, run: layer[kind] });
  }

  /**
   * The parameters of a notification after all middleware; undefined if one dropped it, or failed. Nobody waits for a
   * notification, so errors are reported, also those of asynchronous functions.
   */
  passNotification(kind: 'receive' | 'send', notification: MiddlewareNotification): JsonObject | undefined {
    const { params } = notification;
    const passed = this[kind].length > 0 ? this.#pass(kind, notification) : params;
    // The client finds the request by it, so it gets back exactly what it sent.
    return passed && 'progressToken' in params ? { ...passed, progressToken: params.progressToken } : passed;
  }

  #pass(kind: 'receive' | 'send', notification: MiddlewareNotification, at = 0): JsonObject | undefined {
    const layer = this[kind][at];
    if (!layer) return notification.params;
    const { name, run } = layer;
    const who = `middleware "${name}"`;
    let passed: JsonObject | undefined;
    let isOver = false;
    const next = (changes?: { params?: JsonObject }) => {
      if (isOver) throw new UsageError(`${who} called next too late, or twice`);
      isOver = true;
      const changed = withChange(notification, 'params', changes, who);
      passed = this.#pass(kind, changed, at + 1);
    };
    settle(
      () => run(readOnly(notification), next),
      () => {},
      thrown => {
        passed = undefined;
        this.#report(thrown, `${notification.method}, ${who}`);
      },
    );
    isOver = true;
    return passed;
  }
}

/** A message with another member, if a layer passed one to `next`. It is copied: the layer may change its own later. */
export function withChange<M extends object, N extends keyof M & string>(
  message: M,
  member: N,
  changes: { readonly [name in N]?: M[N] } | undefined,
  who: string,
): M {
  const value = changes?.[member];
  if (value === undefined) return message;
  if (!isObject(value)) throw new UsageError(`${who} must pass an object as ${member} to next`);
  return { ...message, [member]: copyJson(value) };
}
