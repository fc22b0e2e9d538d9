import { Cancelled, UsageError } from '../../base/errors.js';
import { isObject } from '../../base/json.js';
import { OnDemand } from '../../base/on-demand.js';
import type { OptionNames } from '../../base/options.js';
import { type Awaitable, andThen, settle } from '../../base/settle.js';
import { errorText, type RequestId, readMessage } from '../../jsonrpc/message.js';
import { type ParsedText, parseText } from '../../jsonrpc/parse.js';
import type { Caller } from '../../protocol/caller.js';
import { ERROR } from '../../protocol/errors.js';
import { HEADER } from '../../protocol/headers.js';
import type { LocalService, RemoteService } from '../../protocol/service.js';
import type { SingleUse } from '../../protocol/single-use.js';
import { chooseRevisions } from '../../revisions/choose.js';
import { LEGACY, MODERN, type Revision } from '../../revisions/index.js';
import { answerThrown } from '../answer.js';
import { Closing } from '../closing.js';
import { isModernVersion, selectEra } from '../era.js';
import { PROCESS_TOTAL } from '../held-total.js';
import { Ledger } from '../ledger.js';
import { GRACE_MS, HEARTBEAT_MS, MAX_BODY_BYTES, USED_STATES_PER_BYTE } from '../limits.js';
import { ON_DEMAND } from '../loading.js';
import type { WarnLocal } from '../local-only.js';
import { joinCluster, leaveCluster, type NodeOptions } from '../membership-on-demand.js';
import { ModernResponder } from '../modern/responder.js';
import type { Membership } from '../nodes/join.js';
import { RunningCalls } from '../running-calls.js';
import type { CipherFactory } from '../seal/cipher.js';
import { chooseKeys, readKey } from '../seal/keys.js';
import { sealOnDemand } from '../seal-on-demand.js';
import { singleUseOnDemand } from '../single-use-on-demand.js';
import type { HttpAccess } from './access.js';
import { Challenge } from './challenge.js';
import type { Exchange } from './exchange.js';
import { createGuard, type Guard, type GuardOptions } from './host-and-origin.js';
import type { Authenticate } from './identify.js';
import type { LegacyHttp } from './legacy/endpoint.js';
import type { AdmitText } from './legacy/http-sse.js';
import { isForSse, type LegacySsePaths, ssePaths } from './legacy/http-sse-paths.js';
import { acceptsReply, isJsonType } from './media-types.js';
import { ModernHttp } from './modern/endpoint.js';
import type { Protection } from './protection.js';
import { refuse, refuseFor } from './refusal.js';

/** The part of HTTP that is loaded on demand, once per process. */
const HTTP_PART = new OnDemand(() => import('./on-demand.js'));

/** Options of everything that serves HTTP: `fetchHandler`, `nodeHandler` and `listen`. */
export interface HandlerOptions extends GuardOptions, NodeOptions {
  /**
   * Secrets of at least 32 bytes that seal session ids and the state of multi-round requests: the first one seals, all
   * of them open. Nodes with the same keys accept each other's, if their servers have the same name. Without keys, a
   * random one is created, and sessions and states end with the process.
   */
  keys?: readonly (string | Uint8Array)[] | undefined;
  /** Remembers which states were used, for `refuseReplays` and `ctx.once()`; in the cluster, or this process, if not set. */
  singleUse?: SingleUse | undefined;
  /** The revisions that are served, such as `['2026-07-28', '2025-11-25']`; all by default. */
  revisions?: readonly string[] | undefined;
  /** The largest body of a request: 4 MiB by default. */
  maxBodyBytes?: number | undefined;
  /**
   * How much memory the server may hold for its clients: arguments of running calls, open questions, the state of
   * sessions, and output that is not read. On Node a quarter of the heap by default, elsewhere 64 MiB. All servers of a
   * process together may hold as much as the one with the largest limit. When it is full, clients are told to come back
   * later.
   */
  maxHeldBytes?: number | undefined;
  /** How often a quiet event stream sends a heartbeat, so that no proxy closes it: every 15 seconds by default. */
  heartbeatMs?: number | undefined;
  /** Also serves the old HTTP+SSE transport; on `/sse` and `/messages` if true. */
  sse?: boolean | LegacySsePaths | undefined;
  /** Protects the server with access tokens: `auth: protect({ … })`, see `tenon/auth`. */
  auth?: Protection | undefined;
  /** Authenticates the caller with a function of your own, instead of `auth`. Throwing refuses the request with 401. */
  authenticate?: Authenticate | undefined;
}

export const HANDLER_OPTIONS: OptionNames<HandlerOptions> = {
  keys: 1,
  cluster: 'an object',
  work: 1,
  singleUse: 'an object',
  revisions: 1,
  maxBodyBytes: 'a number, 0 or more',
  maxHeldBytes: 1,
  heartbeatMs: 'a number, 0 or more',
  sse: 1,
  auth: 1,
  authenticate: 'a function',
  allowedHosts: 'a list',
  allowedOrigins: 'a list',
};

/** Serves one server over HTTP, all revisions on one URL. */
export class HttpHandler {
  /** What the server holds for its clients. */
  readonly ledger: Ledger;
  /** Clients that take nothing of their output for so long are disconnected. */
  readonly stalledMs: number;
  /** Set in a cluster. */
  readonly membership: OnDemand<Membership> | undefined;
  readonly #service: RemoteService;
  readonly #protection: Protection | undefined;
  readonly #maxBodyBytes: number;
  readonly #closing = new Closing();
  readonly #running = new RunningCalls();
  readonly #guard: Guard;
  /** Whether the callers are authenticated. */
  readonly #hasCallers: boolean;
  readonly #access: OnDemand<HttpAccess>;
  readonly #modern: ModernHttp;
  /** Whether a revision with a handshake is served. */
  readonly #hasHandshake: boolean;
  /** Whether a revision without a handshake is served. */
  readonly #hasModern: boolean;
  /** Loaded with the first request of that era: a server whose clients are all stateless never needs it. */
  readonly #legacy: OnDemand<LegacyHttp>;
  readonly #ssePaths: LegacySsePaths | undefined;

  /** `createCipher` is the runtime's own cipher, if it is faster than WebCrypto. */
  constructor(served: LocalService, options: HandlerOptions = {}, createCipher?: CipherFactory) {
    const { maxBodyBytes = MAX_BODY_BYTES, heartbeatMs = HEARTBEAT_MS, auth, authenticate } = options;
    if (auth && authenticate) throw new UsageError('use either auth or authenticate, not both');
    if (auth && typeof auth.takes !== 'function') {
      throw new UsageError('auth must be the result of protect({ … }) from tenon/auth');
    }
    if (options.maxHeldBytes !== undefined && !(options.maxHeldBytes > 0)) {
      throw new UsageError('maxHeldBytes must be a positive number');
    }
    const ledger = new Ledger(options.maxHeldBytes, undefined, PROCESS_TOTAL);
    this.ledger = ledger;
    this.stalledMs = heartbeatMs;
    const service = served.remote();
    const keys = chooseKeys(options.keys)?.map(readKey);
    this.membership = joinCluster(served, options, keys, keys !== undefined);
    const seal = sealOnDemand(({ withRecent, createSeal, createKeylessSeal }) =>
      withRecent(keys ? createSeal(keys, createCipher) : createKeylessSeal(service, createCipher)),
    );
    const maxUses = ledger.limit * USED_STATES_PER_BYTE;
    const singleUse =
      options.singleUse ??
      singleUseOnDemand(part => part.createSingleUse(service, keys !== undefined, maxUses, options.cluster));
    const revisions = chooseRevisions(options.revisions);
    this.#hasHandshake = revisions.some(({ era }) => era === 'legacy');
    this.#hasModern = revisions.some(({ era }) => era === 'modern');
    const modern = new ModernResponder(service, {
      revisions,
      closing: this.#closing,
      seal,
      singleUse,
      part: ON_DEMAND,
    });
    const paths = this.#hasHandshake ? ssePaths(options.sse) : undefined;

    this.#service = service;
    this.#protection = auth;
    this.#maxBodyBytes = maxBodyBytes;
    this.#guard = createGuard(options);
    this.#hasCallers = Boolean(auth || authenticate);
    this.#access = new OnDemand(async () => {
      const { createHttpAccess } = await HTTP_PART.get();
      return createHttpAccess(service, auth, authenticate);
    });
    const isLocal = keys !== undefined && !options.cluster;
    const warnLocal: WarnLocal = what => {
      if (isLocal) void andThen(ON_DEMAND.get(), part => part.warnLocal(service, what));
    };
    this.#modern = new ModernHttp(service, modern, this.#running, heartbeatMs, warnLocal);
    const admit: AdmitText = (exchange, text, caller, proceed) =>
      this.#admitText(exchange, text, caller, proceed);
    this.#ssePaths = paths;
    this.#legacy = new OnDemand(async () => {
      const { LegacyHttp } = await HTTP_PART.get();
      const sse = paths && { paths, heartbeatMs, maxBodyBytes, admit, revisions };
      return new LegacyHttp(service, this.#running, seal, {
        ledger,
        heartbeatMs,
        sse,
        warnLocal,
        revisions,
        membership: await this.membership?.get(),
      });
    });
  }

  /** Responds to an exchange. Never throws. */
  handle(exchange: Exchange): void {
    this.#attempt(exchange, () => this.#route(exchange));
  }

  /** Refuses new requests, ends listen streams, waits for calls up to `graceMs`, then aborts them. */
  async close(graceMs: number = GRACE_MS): Promise<void> {
    if (this.#closing.hasBegun) return;
    this.#closing.begin();
    const over = new Cancelled('the server is shutting down');
    // Every exchange needs a response, so aborted calls respond with the reason.
    const drained = this.#running.drain(graceMs, over, id => ({
      text: errorText(id, { code: ERROR.internal, message: over.message }),
      code: ERROR.internal,
    }));
    await Promise.all([drained, this.#legacy.loaded?.close(graceMs)]);
    await this.#legacy.loaded?.handOver();
    await leaveCluster(this.membership);
    this.ledger.close();
  }

  #route(exchange: Exchange): Awaitable<void> {
    const protection = this.#protection;
    if (protection?.takes(exchange.path))
      return andThen(HTTP_PART.get(), ({ respondDocument }) => respondDocument(exchange, protection));
    const objection = this.#guard(exchange);
    if (objection) return refuse(exchange, objection.status, objection.problem);
    if (this.#closing.hasBegun) return refuse(exchange, 503, 'the server is shutting down');
    const isPreflight = exchange.method === 'OPTIONS';
    if (!isPreflight && exchange.header('origin') === undefined) return this.#identify(exchange);
    return this.#with(HTTP_PART, exchange, ({ answerPreflight, withCors }) =>
      isPreflight ? answerPreflight(withCors(exchange)) : this.#identify(withCors(exchange)),
    );
  }

  #identify(exchange: Exchange): Awaitable<void> {
    if (!this.#hasCallers) return this.#serve(exchange, undefined);
    return this.#with(this.#access, exchange, access => this.#authorize(exchange, access));
  }

  #authorize(exchange: Exchange, access: HttpAccess): Awaitable<void> {
    return andThen(access.identify(exchange), caller => {
      if (caller instanceof Challenge) return this.#challenge(exchange, caller);
      // The scopes that a POST needs depend on its body.
      if (exchange.method === 'POST') return this.#serve(exchange, caller);
      return this.#admit(exchange, undefined, caller, () => this.#serve(exchange, caller));
    });
  }

  #challenge(exchange: Exchange, { status, message, headers, cause }: Challenge, id?: RequestId): void {
    if (cause !== undefined) this.#service.report(cause, 'authorization');
    refuse(exchange, status, message, { headers, id });
  }

  /** Proceeds with a request, unless the caller may not make it. A rule of the author may throw. */
  #admit(
    exchange: Exchange,
    body: unknown,
    caller: Caller | undefined,
    proceed: () => Awaitable<void>,
  ): Awaitable<void> {
    if (!this.#protection && !this.#service.isRestricted) return proceed();
    const objection = settle<Challenge | undefined, Challenge | undefined | Thrown>(
      () => andThen(this.#access.get(), access => access.findObjection(exchange, body, caller)),
      found => found,
      thrown => ({ thrown }),
    );
    return andThen(objection, found => {
      if (!found) return proceed();
      if (found instanceof Challenge) this.#challenge(exchange, found, idOf(body));
      else this.#fail(exchange, found.thrown, body);
    });
  }

  #admitText(
    exchange: Exchange,
    text: string,
    caller: Caller | undefined,
    proceed: (parsed: ParsedText) => void,
  ): void {
    this.#attempt(exchange, () => {
      const parsed = parseText(text);
      return this.#admit(exchange, parsed.value, caller, () => proceed(parsed));
    });
  }

  #serve(exchange: Exchange, caller: Caller | undefined): Awaitable<void> {
    if (this.#ssePaths && isForSse(this.#ssePaths, exchange)) {
      return this.#withLegacy(exchange, legacy => legacy.handleSse(exchange, caller));
    }
    if (exchange.method === 'POST') return this.#post(exchange, caller);
    const isModern =
      !this.#hasHandshake || (this.#hasModern && isModernVersion(exchange.header(HEADER.protocolVersion)));
    if (exchange.method === 'GET' && !isModern)
      return this.#withLegacy(exchange, legacy => legacy.get(exchange, caller));
    if (exchange.method === 'DELETE' && !isModern)
      return this.#withLegacy(exchange, legacy => legacy.delete(exchange, caller));
    const allow = isModern ? 'POST' : 'POST, GET, DELETE';
    refuse(exchange, 405, `${exchange.method} is not allowed here`, { headers: { allow } });
  }

  #post(exchange: Exchange, caller: Caller | undefined): void {
    if (!isJsonType(exchange.header('content-type'))) {
      return refuse(exchange, 415, 'the content type must be application/json');
    }
    if (!acceptsReply(exchange.header('accept'))) {
      return refuse(exchange, 406, 'accept both application/json and text/event-stream');
    }
    exchange.readBody(this.#maxBodyBytes, body => {
      if (typeof body !== 'string') refuseFor(exchange, body);
      else this.#attempt(exchange, () => this.#accept(exchange, body, caller));
    });
  }

  #accept(exchange: Exchange, text: string, caller: Caller | undefined): Awaitable<void> {
    const parsed = parseText(text);
    return this.#admit(exchange, parsed.value, caller, () => this.#receive(exchange, parsed, caller));
  }

  #receive(exchange: Exchange, parsed: ParsedText, caller: Caller | undefined): Awaitable<void> {
    const { value, weight, repeatedName } = parsed;
    if (Array.isArray(value) && this.#hasHandshake)
      return this.#withLegacy(exchange, legacy => legacy.postBatch(exchange, value, parsed, caller));
    const message = readMessage(value, weight, repeatedName);
    // It may have been meant as an answer, and only sessions wait for answers.
    if (message.kind === 'malformed' && !this.#hasHandshake)
      return exchange.respond(400, errorText(message.id, message.error));
    if (message.kind === 'malformed')
      return this.#withLegacy(exchange, legacy => legacy.postMalformed(exchange, message, caller));
    if (message.kind === 'response' && !this.#hasHandshake)
      return refuse(exchange, 400, 'this server asks no questions that a response could answer');
    const isLegacy =
      message.kind === 'response' ||
      (this.#hasHandshake && selectEra(message, name => exchange.header(name)) === 'legacy');
    if (isLegacy) return this.#withLegacy(exchange, legacy => legacy.post(exchange, message, caller));
    if (message.kind === 'request') return this.#modern.post(exchange, message, caller);
    this.#modern.notify(exchange, message, caller);
  }

  #withLegacy(exchange: Exchange, serve: (legacy: LegacyHttp) => Awaitable<void>): Awaitable<void> {
    return this.#with(this.#legacy, exchange, serve);
  }

  /** Serves a request with something that may have to be loaded first. The server may close meanwhile. */
  #with<T>(needed: OnDemand<T>, exchange: Exchange, serve: (loaded: T) => Awaitable<void>): Awaitable<void> {
    if (needed.loaded !== undefined) return serve(needed.loaded);
    return andThen(needed.get(), loaded =>
      this.#closing.hasBegun ? refuse(exchange, 503, 'the server is shutting down') : serve(loaded),
    );
  }

  /** Makes sure that the exchange gets a response, also if the work fails. */
  #attempt(exchange: Exchange, work: () => Awaitable<void>): void {
    try {
      const done = work();
      if (done instanceof Promise) done.catch(thrown => this.#fail(exchange, thrown));
    } catch (thrown) {
      this.#fail(exchange, thrown);
    }
  }

  #fail(exchange: Exchange, thrown: unknown, body?: unknown): void {
    const isModern = isObject(body) && selectEra(body, name => exchange.header(name)) === 'modern';
    const [revision] = (isModern ? MODERN : LEGACY) as readonly [Revision];
    const answer = answerThrown(this.#service, revision, { id: idOf(body), method: 'http' }, thrown);
    exchange.respond(answer.code === ERROR.internal ? 500 : 400, answer.text);
  }
}

/** A value that the author's rule threw. */
interface Thrown {
  readonly thrown: unknown;
}

/** The id of the request in a body, if there is just one. */
function idOf(body: unknown): RequestId | undefined {
  const message = readMessage(body);
  return message.kind === 'request' ? message.id : undefined;
}
