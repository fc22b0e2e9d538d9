import { throwIfAborted } from '../base/abort.js';
import { copyPlain } from '../base/copy-plain.js';
import { isObject, type JsonObject } from '../base/json.js';
import { checkOptions } from '../base/options.js';
import { messageOf } from '../base/thrown.js';
import { MAX_TIMER_MS } from '../base/timers.js';
import type { Change } from '../protocol/changes.js';
import { ERROR, McpError } from '../protocol/errors.js';
import { isOutOfReach } from '../protocol/failures.js';
import type { InputRequest, InputResponse } from '../protocol/input.js';
import { ResultCache } from './cache.js';
import type { CacheOwner } from './cache-owner.js';
import type { OutgoingCall } from './call.js';
import { CALL_OPTIONS, type CallOptions } from './call-options.js';
import { Deadline } from './deadline.js';
import type { InstalledExtensions } from './extensions/install.js';
import { type TimeLimits, timeLimits } from './limits.js';
import type { Link } from './link.js';
import type { LinkKeeper } from './link-keeper.js';
import type { ClientMiddlewareStack } from './middleware.js';
import { readOwnParams } from './own-params.js';
import { readAllPages } from './pages.js';
import { pause } from './pause.js';
import { type HeldRequest, nextParams, pauseBefore, type RoundOutcome, readRound } from './rounds.js';
import type { KnownTools } from './tools.js';
import { typedResult } from './typed-result.js';

/** What an outbox needs of its client. */
export interface OutboxHost {
  /** The server's name for handlers. */
  readonly serverName: string;
  /** For requests without limits of their own. */
  readonly limits: TimeLimits;
  readonly cache: { results: ResultCache; owner: CacheOwner; staleIfError: boolean } | undefined;
  /** Answers the questions of a round with the author's handlers. */
  answer(
    questions: HeldRequest['questions'],
    signals: readonly AbortSignal[],
  ): Promise<Record<string, InputResponse>>;
  readonly middleware: ClientMiddlewareStack;
  /** The extensions of the client, if it has any. */
  readonly extensions: InstalledExtensions | undefined;
  /** Calls the author's code. An error in it must not fail the request. */
  tell(callback: () => void): void;
  /** Reports a problem that the author should know of, though no request failed. */
  warn(message: string): void;
}

/** A list of the tools of a link. */
interface Listing {
  link: Link;
  /** Aborts when the list was read, or with the error if it could not be. */
  done: AbortSignal;
}

/**
 * Sends every request and notification of a client, whichever of its methods began it. So all of them have the same
 * headers, limits and checks, use the cache in the same way, and are repeated in the same cases.
 */
export class Outbox {
  readonly #keeper: LinkKeeper;
  readonly #host: OutboxHost;
  /** Loaded with the first request about tools. */
  #tools: KnownTools | undefined;
  /** The list that was read for calls of unknown tools. */
  #listing: Listing | undefined;

  constructor(keeper: LinkKeeper, host: OutboxHost) {
    this.#keeper = keeper;
    this.#host = host;
  }

  /** Sends a request until there is a result; the author's handlers answer the server's questions. */
  async request(
    method: string,
    params: JsonObject,
    options: CallOptions,
    deadline?: Deadline,
  ): Promise<JsonObject> {
    return this.#request(await this.#createCall(method, params, options, deadline));
  }

  /** Reads all pages of a list. The limits are for all pages together. */
  list<T>(
    method: string,
    field: string,
    options: CallOptions,
    deadline = this.#createDeadline(options),
  ): Promise<T[]> {
    return readAllPages(method, async cursor => {
      const params = cursor === undefined ? {} : { cursor };
      const call = await this.#createCall(method, params, options, deadline);
      const page = await typedResult<JsonObject>(method, this.#request(call), this.#host.warn);
      return { entries: page[field] as T[], nextCursor: page.nextCursor };
    });
  }

  /** Sends the first round of a request. */
  async begin(method: string, params: JsonObject, options: CallOptions): Promise<RoundOutcome> {
    const call = await this.#createCall(method, params, options);
    return this.#readOutcome(call, await this.#beginRounds(call));
  }

  /** Sends the next round of a held request. */
  async resume(
    held: HeldRequest,
    answers: Readonly<Record<string, InputResponse>>,
    options: CallOptions,
  ): Promise<RoundOutcome> {
    const [asked, given] = copyPlain([held, answers] as const);
    const { checkAnswers } = await import('./on-demand.js');
    const sent = await checkAnswers(asked.questions, given);
    const call = await this.#createCall(asked.method, asked.params, options);
    return this.#readOutcome(call, await this.#nextRound(call, asked, sent));
  }

  async notify(method: string, params: JsonObject | undefined): Promise<void> {
    const own = await readOwnParams('notify', method, params === undefined ? {} : params);
    const link = await this.#keeper.open();
    await link.notify(method, params && own);
  }

  /** The server has notified the client of a change. */
  changed(change: Change): void {
    this.#host.cache?.results.invalidate(change);
    if (change.kind !== 'tools') return;
    this.#tools?.outdate();
    this.#listing = undefined;
  }

  async #createCall(
    method: string,
    params: JsonObject,
    options: CallOptions,
    deadline = this.#createDeadline(options),
  ): Promise<OutgoingCall> {
    checkOptions(options, CALL_OPTIONS, 'a request');
    const own = await readOwnParams('request', method, withMeta(params, options.meta));
    return { method, params: own, options, deadline, sent: {} };
  }

  #createDeadline(options: CallOptions): Deadline {
    return new Deadline(timeLimits(options, this.#host.limits).maxTimeoutMs);
  }

  async #request(call: OutgoingCall): Promise<JsonObject> {
    return this.#readResult(call, await this.#answered(call));
  }

  /** The result from the cache, or from the server; then it is stored for the next time. */
  async #throughCache(call: OutgoingCall, params: JsonObject): Promise<JsonObject> {
    const { results, owner, staleIfError } = this.#host.cache as NonNullable<OutboxHost['cache']>;
    const { method, options } = call;
    const request = { method, params, owner: await owner.identify(options.headers) };
    const find = () => results.find(request, staleIfError);
    const kept = options.cacheMode === 'refresh' ? undefined : await this.#useCache(find);
    if (kept?.isFresh) return kept.result;
    const requestedAt = Date.now();
    try {
      const result = await this.#send(call, params);
      // If another user has signed in meanwhile, it is unknown whose result it is.
      if ((await owner.identify(options.headers)) !== request.owner) request.owner = undefined;
      await this.#useCache(() => results.keep(request, requestedAt, result));
      return result;
    } catch (error) {
      if (kept && staleIfError && isOutOfReach(error)) return kept.result;
      // A cursor that is no longer valid belongs to an older list, so its other pages are stale as well.
      if (error instanceof McpError && params.cursor !== undefined) results.discard(request);
      throw error;
    }
  }

  /** A cache that fails must not fail the request. */
  async #useCache<T>(use: () => Promise<T>): Promise<T | undefined> {
    try {
      return await use();
    } catch (error) {
      this.#host.warn(`the cache cannot be used: ${messageOf(error)}`);
      return undefined;
    }
  }

  /** The result from the server or the cache, as the extensions of the client make it. */
  #answered(call: OutgoingCall): Promise<JsonObject> {
    const { extensions } = this.#host;
    if (!extensions) return this.#rounds(call);
    const { serverName: server, warn } = this.#host;
    const sender = { server, warn, outbox: this, keeper: this.#keeper };
    return extensions.carryOut(call, sender, own => this.#rounds({ ...call, ...own }));
  }

  /** The result after all questions of the server are answered. */
  async #rounds(call: OutgoingCall): Promise<JsonObject> {
    // Results of later rounds depend on more than their parameters, so only the first one may come from the cache.
    const mayBeCached = this.#host.cache !== undefined && call.options.cacheMode !== 'bypass';
    let outcome = await this.#beginRounds(call, mayBeCached);
    while (outcome.held) {
      const { held }: { held: HeldRequest } = outcome;
      const answers = await this.answer(call, held.questions);
      await this.#pauseBefore(call, held);
      outcome = await this.#nextRound(call, held, answers);
    }
    return outcome.result;
  }

  /** Answers questions of the server. The time that it takes does not count. */
  async answer(
    { options: { signal }, deadline }: OutgoingCall,
    questions: Readonly<Record<string, InputRequest>>,
  ): Promise<Record<string, InputResponse>> {
    const { closing } = this.#keeper;
    const startedAt = Date.now();
    try {
      return await this.#host.answer(questions, signal ? [closing, signal] : [closing]);
    } finally {
      deadline.excludeSince(startedAt);
    }
  }

  async #pauseBefore(
    { method, options: { signal }, deadline }: OutgoingCall,
    held: HeldRequest,
  ): Promise<void> {
    const ms = pauseBefore(held);
    if (ms <= 0) return;
    await pause(Math.min(ms, deadline.leftMs), signal, this.#keeper.closing);
    throwIfAborted(signal);
    deadline.check(method);
  }

  async #beginRounds(call: OutgoingCall, mayBeCached = false): Promise<RoundOutcome> {
    return readRound(call.method, call.params, 1, await this.#sendRound(call, call.params, mayBeCached));
  }

  async #nextRound(
    call: OutgoingCall,
    held: HeldRequest,
    answers: Readonly<Record<string, InputResponse>>,
  ): Promise<RoundOutcome> {
    const result = await this.#sendRound(call, nextParams({ ...held, params: call.params }, answers));
    return readRound(call.method, call.params, held.round + 1, result);
  }

  /** Sends one round. If the server misses headers of a tool, looks the tool up and sends the round again. */
  async #sendRound(call: OutgoingCall, params: JsonObject, mayBeCached?: boolean): Promise<JsonObject> {
    if (call.method !== 'tools/call') return this.#pass(call, params, mayBeCached);
    await this.#learnTool(call, params.name);
    try {
      return await this.#pass(call, params);
    } catch (error) {
      if (!(error instanceof McpError) || error.code !== ERROR.headerMismatch) throw error;
      const options: CallOptions = {
        ...listOptions(call),
        signal: call.options.signal,
        cacheMode: 'refresh',
      };
      await this.list('tools/list', 'tools', options, call.deadline);
      return this.#pass(call, params);
    }
  }

  /** Passes a round through the middleware. The headers and the cache go by what is really sent. */
  #pass(call: OutgoingCall, params: JsonObject, mayBeCached?: boolean): Promise<JsonObject> {
    const { middleware } = this.#host;
    if (middleware.layers.length === 0) return this.#deliver(call, params, mayBeCached);
    const { method, options, deadline } = call;
    const { signal } = options;
    const { timeoutMs } = timeLimits(options, this.#host.limits);
    const work = { deadline, timeoutMs, signals: [signal, this.#keeper.closing] };
    return middleware.passRequest({ method, params, signal }, work, own =>
      this.#deliver(call, own, mayBeCached),
    );
  }

  async #deliver(call: OutgoingCall, params: JsonObject, mayBeCached?: boolean): Promise<JsonObject> {
    const { method } = call;
    call.sent.params = params;
    if (method === 'tools/call' && params.name !== call.params.name) await this.#learnTool(call, params.name);
    const isCacheable = mayBeCached && ResultCache.covers(method, params);
    const result = await (isCacheable ? this.#throughCache(call, params) : this.#send(call, params));
    await this.#learnTools(method, params, result);
    return result;
  }

  /**
   * Lists the tools before an unknown one is called, because its input schema says which headers the call needs. This is
   * done once for a connection, and again after a change. If it fails, the call goes without these headers.
   */
  async #learnTool(call: OutgoingCall, name: unknown): Promise<void> {
    const { method, options, deadline } = call;
    const link = await this.#keeper.ready(method, { ...options, deadline });
    if (!link.mirrorsParameters || (await this.#knownTools()).knows(name)) return;
    if (this.#listing?.link !== link) this.#listing = this.#listTools(call, link);
    const { done } = this.#listing;
    const { timeoutMs } = timeLimits(options, this.#host.limits);
    await pause(Math.min(timeoutMs, deadline.leftMs, MAX_TIMER_MS), done, options.signal);
    throwIfAborted(options.signal);
    if (isOfUser(done.reason)) throw done.reason;
  }

  /** Lists the tools for all calls that wait for it, so that none of them can cancel it. */
  #listTools(call: OutgoingCall, link: Link): Listing {
    const end = new AbortController();
    this.list('tools/list', 'tools', listOptions(call)).then(
      () => end.abort(),
      error => {
        if (isOfUser(error)) this.#listing = undefined;
        end.abort(error);
      },
    );
    return { link, done: end.signal };
  }

  #send({ method, options, deadline }: OutgoingCall, params: JsonObject): Promise<JsonObject> {
    const { onProgress } = options;
    const mirrored = method === 'tools/call' ? this.#tools?.headersOf(params) : undefined;
    return this.#keeper.send(method, params, {
      ...options,
      deadline,
      hasPassed: true,
      ...(mirrored && { headers: { ...options.headers, ...mirrored } }),
      ...(onProgress && { onProgress: progress => this.#host.tell(() => onProgress(progress)) }),
    });
  }

  async #readOutcome(call: OutgoingCall, outcome: RoundOutcome): Promise<RoundOutcome> {
    if (!outcome.held) return { result: await this.#readResult(call, outcome.result) };
    (await import('./on-demand.js')).checkHeld(outcome.held);
    return outcome;
  }

  /** Checks the output of a tool, by the name that the server knows it by. */
  async #readResult({ method, params, sent }: OutgoingCall, result: JsonObject): Promise<JsonObject> {
    if (method === 'tools/call' && (result.resultType ?? 'complete') === 'complete')
      await this.#tools?.check((sent.params ?? params).name, result, this.#host.warn);
    // Middleware has answered.
    if (!sent.params) await this.#learnTools(method, params, result);
    return result;
  }

  async #knownTools(): Promise<KnownTools> {
    const { KnownTools } = await import('./results.js');
    this.#tools ??= new KnownTools();
    return this.#tools;
  }

  /** Remembers the tools in a list. */
  async #learnTools(method: string, params: JsonObject, result: JsonObject): Promise<void> {
    if (method !== 'tools/list' || !Array.isArray(result.tools)) return;
    const known = await this.#knownTools();
    if (params.cursor === undefined) known.beginList();
    // Changed in place: the result may have too many fields to copy.
    result.tools = await known.learn(result.tools, this.#keeper.link.mirrorsParameters, this.#host.warn);
  }
}

/** The options of a list of tools for a call. The progress token belongs to the call alone. */
function listOptions({ params, options: { timeoutMs, headers } }: OutgoingCall): CallOptions {
  if (!isObject(params._meta)) return { timeoutMs, headers };
  const { progressToken, ...meta } = params._meta;
  return { timeoutMs, headers, meta };
}

/** Whether a user has to sign in, or would not. The call would send them to the page a second time. */
function isOfUser(error: unknown): boolean {
  return isObject(error) && /^(sign-in|denied)$/.test(String(error.problem));
}

function withMeta(params: JsonObject, meta: JsonObject | undefined): JsonObject {
  if (!meta) return params;
  return { ...params, _meta: { ...(isObject(params._meta) ? params._meta : {}), ...meta } };
}
