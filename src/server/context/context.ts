import { UsageError } from '../../base/errors.js';
import { isObject, type JsonObject, type JsonOnly } from '../../base/json.js';
import type { Awaitable } from '../../base/settle.js';
import type { Asking } from '../../protocol/asking.js';
import type { AskOptions, Call, ClientDescription, Session } from '../../protocol/call.js';
import type { Caller } from '../../protocol/caller.js';
import { type ClientCapability, extensionSettings, hasCapability } from '../../protocol/capabilities.js';
import { missingCapability } from '../../protocol/errors.js';
import type {
  CreateMessageParams,
  CreateMessageResult,
  ElicitResult,
  InputRequest,
  InputResponse,
  InputResponseTo,
  Root,
} from '../../protocol/input.js';
import { createLogger, type Logger } from '../../protocol/logger.js';
import { isOfProtocol } from '../../protocol/method-name.js';
import { readProgressToken } from '../../protocol/request-meta.js';
import { RoundEnded } from '../../protocol/round.js';
import type { TaskControl } from '../../protocol/task.js';
import type { ToolFailure } from '../../protocol/tools.js';
import { readTraceContext, type TraceContext } from '../../protocol/trace-context.js';
import type { Infer, Schema } from '../schema/schema.js';
import type { AnswerTo } from './by-hand.js';
import type { FlatForm } from './form.js';
import { LooseEnds } from './loose-ends.js';
import type { Answer } from './questions.js';

/**
 * The second argument of a handler: the request that it serves, and the ways to talk to the client while the request
 * lasts. All members can be destructured: `async (args, { log, progress }) => …`.
 */
export class Context {
  readonly #call: Call;
  #logger: Logger | undefined;
  #lastProgress = Number.NEGATIVE_INFINITY;
  /** Created by the first question or step: most handlers have none. */
  #looseEnds: LooseEnds | undefined;
  /** The handler, once it has ended, and the way to report what it does too late. */
  #ended: EndedHandler | undefined;

  constructor(call: Call) {
    this.#call = call;
  }

  /** Ends the use of a context with its handler, `who`. Reports the questions and steps that were not awaited. */
  static end(context: Context, handler: EndedHandler, thrown?: unknown): void {
    // A handler whose round has ended runs again; its questions are still open.
    if (thrown instanceof RoundEnded) return;
    context.#ended = handler;
    context.#looseEnds?.report(handler.who, thrown === undefined, error => context.#reportUse(error));
  }

  /** Aborts when the client cancels or disconnects. Pass it on to `fetch` and the like. */
  get signal(): AbortSignal {
    return this.#call.signal;
  }

  /** The revision of the protocol that this client speaks, such as `2025-06-18`. */
  get revision(): string {
    return this.#call.revision;
  }

  /** The client's name and capabilities, as it gives them. */
  get client(): ClientDescription {
    return this.#call.client;
  }

  /** Whether the client declared a capability, such as `elicitation.url`. */
  get supports(): (capability: ClientCapability) => boolean {
    return capability => hasCapability(this.#call.client.capabilities, capability);
  }

  /** The settings that the client declared for an extension; undefined if it did not declare the extension. */
  get extension(): (id: string) => JsonObject | undefined {
    return id => extensionSettings(this.#call.client.capabilities, id);
  }

  /** As `extension`, but a client that did not declare it is refused with `-32021`, which names the extension. */
  get requireExtension(): (id: string) => JsonObject {
    return id => {
      const settings = this.extension(id);
      if (settings) return settings;
      throw missingCapability(this.#call.method, `extensions.${id}`);
    };
  }

  /**
   * Sends the client a notification of an extension, or one of your own, while the request is running. Nothing is sent if
   * the client did not declare the extension, or while it does not read its stream.
   */
  get notify(): (method: string, params?: JsonObject) => void {
    return (method, params = {}) => {
      if (!/^notifications\/./.test(method))
        throw new UsageError(
          `a notification needs a name such as notifications/com.example/found, not ${method}`,
        );
      if (isOfProtocol(method))
        throw new UsageError(`${method} belongs to the protocol: use ctx.progress or ctx.log`);
      if (!isObject(params)) throw new UsageError(`the parameters of ${method} must be an object`);
      this.#call.notify(method, params);
    };
  }

  /** The authenticated caller, if the transport established one. */
  get caller(): Caller | undefined {
    return this.#call.caller;
  }

  /** The session, with a place for values of your own; undefined for clients without a session. */
  get session(): Session | undefined {
    return this.#call.session;
  }

  /** Whether the request stands alone, without a session: values that you keep do not reach the next request. */
  get isStateless(): boolean {
    return this.#call.isStateless;
  }

  /** The `_meta` of the request. */
  get meta(): JsonObject {
    return this.#call.meta;
  }

  /** The W3C trace that the request belongs to. */
  get trace(): TraceContext | undefined {
    return readTraceContext(this.#call.meta);
  }

  /** The answers to an earlier `inputRequired`, by the name of the question. */
  get inputResponses(): ReadonlyMap<string, InputResponse> | undefined {
    return this.#call.inputResponses;
  }

  /**
   * The checked answer to a question that was asked by hand; undefined if there is none.
   *
   * @example
   * const party = await ctx.answerTo('party', z.object({ guests: z.number() }));
   * const folders = await ctx.answerTo('folders', 'roots/list');
   */
  get answerTo(): AnswerTo {
    const read = (name: string, expected: Schema | InputRequest['method']) =>
      quiet(this.#useAsking(asking => asking.readAnswer(this.#call, name, expected)));
    return read as AnswerTo;
  }

  /** The state of an earlier `inputRequired`, parsed as JSON, checked and typed; undefined if there is none. */
  get stateAs(): <const S extends Schema>(schema: S) => Promise<Infer<S> | undefined> {
    const read = (schema: Schema) => quiet(this.#useAsking(asking => asking.readState(this.#call, schema)));
    return read as Context['stateAs'];
  }

  /** The state of an earlier `inputRequired`. It was sealed on its way, so the client cannot have changed it. */
  get requestState(): string | undefined {
    return this.#call.requestState;
  }

  /** Log messages for the client: `ctx.log.info({ rows: 3 }, 'database')`. */
  get log(): Logger {
    this.#logger ??= createLogger(this.#call);
    return this.#logger;
  }

  /**
   * Reports the progress of the work: `ctx.progress(3, { total: 10, message: 'reading' })`. Does nothing if the client
   * did not ask for progress, if the number did not grow, or once the handler has finished.
   */
  get progress(): (progress: number, details?: { total?: number; message?: string }) => void {
    return (progress, details = {}) => {
      const progressToken = readProgressToken(this.#call.meta);
      if (progressToken === undefined || !Number.isFinite(progress) || progress <= this.#lastProgress) return;
      this.#lastProgress = progress;
      const { total, message } = details;
      this.#call.notify('notifications/progress', {
        progressToken,
        progress,
        ...(Number.isFinite(total) && { total }),
        ...(typeof message === 'string' && { message }),
      });
    };
  }

  /**
   * Asks the user to fill in a form, and returns their action and the content.
   *
   * @example
   * const party = await ctx.elicit('How many guests?', z.object({ guests: z.number().int().min(1) }));
   * if (party.action === 'accept') book(party.content.guests);
   */
  get elicit(): <const S extends Schema>(
    message: string,
    schema: S & FlatForm<S>,
    options?: AskOptions,
  ) => Promise<Answer<Infer<S>>> {
    const ask = (message: string, schema: Schema, options?: AskOptions) =>
      this.#asked(message, asking => asking.elicit(this.#call, message, schema, options));
    return ask as Context['elicit'];
  }

  /** Asks the user to visit a page, for data that must not pass through the client. */
  get elicitUrl(): (
    message: string,
    url: string,
    options?: AskOptions & { elicitationId?: string },
  ) => Promise<{ action: ElicitResult['action'] }> {
    return (message, url, options) =>
      this.#asked(message, asking => asking.elicitUrl(this.#call, message, url, options));
  }

  /**
   * Asks the client's model.
   * @deprecated by the specification since 2026-07-28; it works, but call a model provider directly in new code.
   */
  get sample(): (params: CreateMessageParams, options?: AskOptions) => Promise<CreateMessageResult> {
    return (params, options) =>
      this.#asked('sampling/createMessage', asking => asking.sample(this.#call, params, options));
  }

  /**
   * Asks for the folders that the client works in.
   * @deprecated by the specification since 2026-07-28; it works, but take paths as arguments in new code.
   */
  get roots(): (options?: AskOptions) => Promise<Root[]> {
    return options => this.#asked('roots/list', asking => asking.roots(this.#call, options));
  }

  /**
   * Asks a question in the form of the protocol, for options that the other methods do not offer. The answer has the
   * right type, and the content of a form fits its schema. For answers that nobody checked, return `inputRequired` and
   * read `ctx.inputResponses`.
   *
   * @example
   * const { roots } = await ctx.ask({ method: 'roots/list' });
   */
  get ask(): <const R extends InputRequest>(
    request: R,
    options?: AskOptions,
  ) => Promise<InputResponseTo<R['method']>> {
    return (request, options) =>
      this.#asked(request?.method, asking => asking.askAsIs(this.#call, request, options));
  }

  /**
   * Runs some work once per request, over all its rounds, and keeps the result, which must be JSON. Use it for work
   * that must not happen twice. An error is not kept.
   *
   * @example
   * const hold = await ctx.step('hold the table', () => bistro.hold(restaurant, guests));
   */
  get step(): <T>(name: string, run: (() => Awaitable<T>) & JsonResult<T>) => Promise<T> {
    return <T>(name: string, run: () => Awaitable<T>) => {
      if (typeof name !== 'string' || typeof run !== 'function')
        throw new UsageError('a step needs a name and a function: ctx.step("hold", () => hold(table))');
      return this.#track(`its step "${name}"`, false, () => this.#call.step(name, run));
    };
  }

  /**
   * Lets a request pass only once, even if the client sends its rounds again: for an action that must not be confirmed
   * twice, such as a payment. Call it right before the action.
   */
  get once(): () => Promise<void> {
    return () => this.#track('ctx.once()', false, () => this.#call.once());
  }

  /** The task that the handler runs in; undefined unless the tool has the option `task`. */
  get task(): TaskControl | undefined {
    return this.#call.task;
  }

  /** Checks that the client is still connected. Resolves at once for clients that have no ping. */
  get ping(): (options?: AskOptions) => Promise<void> {
    return options => quiet(this.#call.ping(options));
  }

  /** A tool result that tells the model about a failure: `return ctx.error('No table is free.')`. */
  get error(): (text: string) => ToolFailure {
    return text => ({ content: [{ type: 'text', text }], isError: true });
  }

  /**
   * Ends the response stream early, so that no connection is held during long work. The client reconnects for the
   * rest. Does nothing where the client's revision or transport does not support that.
   */
  get closeStream(): () => void {
    return () => this.#call.closeStream();
  }

  #asked<T>(question: string, ask: (asking: Asking) => Promise<T>): Promise<T> {
    return this.#track(`its question "${question}"`, true, () => this.#useAsking(ask));
  }

  /** Asks at once if the code is loaded, because questions of the same turn of the event loop are sent together. */
  #useAsking<T>(use: (asking: Asking) => Promise<T>): Promise<T> {
    const { asking } = this.#call;
    return asking.loaded ? use(asking.loaded) : Promise.resolve(asking.get()).then(use);
  }

  /** Begins a question or a step, unless the handler has returned. */
  #track<T>(name: string, isQuestion: boolean, begin: () => Promise<T>): Promise<T> {
    if (this.#ended) {
      const late = new UsageError(`${name} came after ${this.#ended.who} had ended; await it before that`);
      this.#reportUse(late);
      return quiet(Promise.reject(late));
    }
    this.#looseEnds ??= new LooseEnds();
    return this.#looseEnds.track(name, isQuestion, begin());
  }

  /** Reports a wrong use of the context. A cancelled handler may leave anything behind. */
  #reportUse(error: UsageError): void {
    if (!this.#call.signal.aborted) this.#ended?.report(error, this.#ended.who);
  }
}

/** A handler that has ended: its name in messages, and the way to report what it does too late. */
export interface EndedHandler {
  readonly who: string;
  report(error: unknown, where: string): void;
}

/** Runs a handler with its context, which ends with it. */
export async function useContext<C extends Context, T>(
  context: C,
  handler: EndedHandler,
  run: (context: C) => Awaitable<T>,
): Promise<T> {
  try {
    const returned = await run(context);
    Context.end(context, handler);
    return returned;
  } catch (thrown) {
    Context.end(context, handler, thrown);
    throw thrown;
  }
}

/** Accepts a step only if JSON can carry its result. The type's key is the message that the author sees. */
type JsonResult<T> = [T] extends [JsonOnly<T>]
  ? unknown
  : { readonly 'the result of a step must be JSON': T };

/**
 * Several questions may be open when one of them fails, and the handler with it. Nothing awaits the others then, and
 * their unhandled rejections must not end the process.
 */
function quiet<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

/**
 * The context of a resource handler, with the URI that is read.
 *
 * @example
 * server.resource('menu://{day}', {}, ({ day }, ctx) => `The menu of ${day}, at ${ctx.uri}`);
 */
export class ResourceContext extends Context {
  readonly uri: string;

  constructor(call: Call, uri: string) {
    super(call);
    this.uri = uri;
  }
}
