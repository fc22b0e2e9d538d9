import { Cancelled, UsageError } from '../../base/errors.js';
import type { OptionNames } from '../../base/options.js';
import { type Awaitable, andThen, settle } from '../../base/settle.js';
import { parseJson, readMessage } from '../../jsonrpc/message.js';
import type { Caller } from '../../protocol/caller.js';
import { ERROR, McpError } from '../../protocol/errors.js';
import { HEADER } from '../../protocol/headers.js';
import type { LocalService } from '../../protocol/service.js';
import type { SingleUse } from '../../protocol/single-use.js';
import { findRevision } from '../../revisions/index.js';
import { Closing } from '../closing.js';
import { selectEra } from '../era.js';
import { createLegacyServer } from '../legacy/responder.js';
import { createModernServer } from '../modern/responder.js';
import { InFlight } from '../running-calls.js';
import type { CipherFactory } from '../seal/cipher.js';
import { createKeylessSeal } from '../seal/keyless-seal.js';
import { chooseKeys } from '../seal/keys.js';
import { withRecent } from '../seal/recent-seals.js';
import { createSeal } from '../seal/seal.js';
import { createMemorySingleUse } from '../single-use.js';
import { createAdmission } from './admission.js';
import { Challenge } from './challenge.js';
import { answerPreflight, withCors } from './cors.js';
import { BodyProblem, type Exchange } from './exchange.js';
import { createGuard, type GuardOptions } from './guards.js';
import { createLegacyHttp } from './legacy/endpoint.js';
import { createLegacySse, type LegacySsePaths, ssePaths } from './legacy/http-sse.js';
import { Sessions } from './legacy/sessions.js';
import { acceptsReply, isJson } from './media-types.js';
import { createModernHttp } from './modern/endpoint.js';
import type { ProtectedRequest, Protection } from './protection.js';
import { refuse } from './refusal.js';

export interface HandlerOptions extends GuardOptions {
  /**
   * Secrets of at least 32 bytes that seal session ids and the states of rounds: the first seals, all open.
   * Nodes with the same keys serve each other's. Without any, a random one is made, and both end with the process.
   */
  keys?: readonly (string | Uint8Array)[] | undefined;
  /** Remembers which rounds of `once` tools were run; in this process if not set. */
  singleUse?: SingleUse | undefined;
  /** The largest body of a request: 4 MiB by default. */
  maxBodyBytes?: number | undefined;
  /** How often a quiet stream of events shows that it is alive, so that nothing on the way closes it: 15 seconds. */
  heartbeatMs?: number | undefined;
  /** Also serves the old HTTP+SSE transport, on `/sse` and `/messages` unless told otherwise. */
  sse?: boolean | LegacySsePaths | undefined;
  /** Protects the server with access tokens: `auth: protect({ … })`, see `tenon/auth`. */
  auth?: Protection | undefined;
  /** Establishes who calls, in a way of your own instead of `auth`. Throwing refuses the request with 401. */
  authenticate?: Authenticate | undefined;
}

export const HANDLER_OPTIONS: OptionNames<HandlerOptions> = {
  keys: 1,
  singleUse: 1,
  maxBodyBytes: 1,
  heartbeatMs: 1,
  sse: 1,
  auth: 1,
  authenticate: 1,
  allowedHosts: 1,
  allowedOrigins: 1,
};

export type Authenticate = (
  request: Pick<Exchange, 'method' | 'path' | 'header'>,
) => Awaitable<Caller | undefined>;

/** Serves one server over HTTP, all revisions on one URL. */
export interface HttpHandler {
  /** Answers an exchange. Never throws. */
  handle(exchange: Exchange): void;
  /** Refuses new requests, ends listen streams, waits for calls up to `graceMs`, then aborts them. */
  close(graceMs?: number): Promise<void>;
}

const MAX_BODY_BYTES = 4 * 1024 * 1024;
const HEARTBEAT_MS = 15_000;
/** How long calls may go on when the server closes. */
export const GRACE_MS = 5000;

/** `createCipher` is what the runtime has to encrypt with, if that is faster than WebCrypto. */
export function createHttpHandler(
  served: LocalService,
  options: HandlerOptions = {},
  createCipher?: CipherFactory,
): HttpHandler {
  const { maxBodyBytes = MAX_BODY_BYTES, heartbeatMs = HEARTBEAT_MS, auth: protection } = options;
  if (protection && options.authenticate) throw new UsageError('use either auth or authenticate, not both');
  if (protection && typeof protection.takes !== 'function') {
    throw new UsageError('auth must be what protect({ … }) of tenon/auth returns');
  }
  const service = served.remote();
  const closing = new Closing();
  const inFlight = new InFlight();

  const keys = chooseKeys(options.keys);
  const seal = withRecent(keys ? createSeal(keys, createCipher) : createKeylessSeal(createCipher));
  const singleUse = options.singleUse ?? createMemorySingleUse();
  const guard = createGuard(options);
  const identify = createIdentify(protection, options.authenticate);
  const findObjection = createAdmission(service, protection);
  const modern = createModernHttp(service, createModernServer(service, { closing, seal, singleUse }), {
    heartbeatMs,
    inFlight,
  });
  const sessions = new Sessions(seal, service.info.name);
  const legacy = createLegacyHttp(service, createLegacyServer(service), sessions, { heartbeatMs, inFlight });
  const paths = ssePaths(options.sse);
  const sse = paths
    ? createLegacySse(service, { paths, heartbeatMs, maxBodyBytes, admit: admitText })
    : undefined;

  function route(exchange: Exchange): Awaitable<void> {
    if (protection?.takes(exchange.path)) return describe(exchange, protection);
    const refusal = guard(exchange);
    if (refusal) return refuse(exchange, 403, refusal);
    if (closing.hasBegun) return refuse(exchange, 503, 'the server is shutting down');
    const open = withCors(exchange);
    if (exchange.method === 'OPTIONS') return answerPreflight(open);
    return identify ? authorize(open, identify) : serve(open, undefined);
  }

  function authorize(exchange: Exchange, identify: Identify): Awaitable<void> {
    return andThen(identify(exchange), caller => {
      if (caller instanceof Challenge) return challenge(exchange, caller);
      // What a POST needs depends on its body.
      if (exchange.method === 'POST') return serve(exchange, caller);
      return admit(exchange, undefined, caller, () => serve(exchange, caller));
    });
  }

  function challenge(exchange: Exchange, { status, message, headers, cause }: Challenge): void {
    if (cause !== undefined) service.report(cause, 'authorization');
    refuse(exchange, status, message, { headers });
  }

  /** Goes on with a request, unless the caller may not make it. */
  function admit(
    exchange: Exchange,
    body: unknown,
    caller: Caller | undefined,
    proceed: () => Awaitable<void>,
  ): Awaitable<void> {
    if (!protection && !service.isRestricted) return proceed();
    return andThen(findObjection(exchange, body, caller), objection =>
      objection ? challenge(exchange, objection) : proceed(),
    );
  }

  /** The text is read twice where something is protected: those who go on with it want it whole. */
  function admitText(
    exchange: Exchange,
    text: string,
    caller: Caller | undefined,
    proceed: () => void,
  ): void {
    if (!protection && !service.isRestricted) return proceed();
    attempt(exchange, () => admit(exchange, parseJson(text), caller, proceed));
  }

  function serve(exchange: Exchange, caller: Caller | undefined): Awaitable<void> {
    if (sse?.takes(exchange)) return sse.handle(exchange, caller);
    if (exchange.method === 'POST') return post(exchange, caller);
    const version = exchange.header(HEADER.protocolVersion);
    const isModern = version !== undefined && findRevision(version)?.era === 'modern';
    if (exchange.method === 'GET' && !isModern) return legacy.get(exchange, caller);
    if (exchange.method === 'DELETE' && !isModern) return legacy.delete(exchange, caller);
    const allow = isModern ? 'POST' : 'POST, GET, DELETE';
    refuse(exchange, 405, `${exchange.method} is not allowed here`, { headers: { allow } });
  }

  function post(exchange: Exchange, caller: Caller | undefined): void {
    if (!isJson(exchange.header('content-type'))) {
      return refuse(exchange, 415, 'the content type must be application/json');
    }
    if (!acceptsReply(exchange.header('accept'))) {
      return refuse(exchange, 406, 'accept both application/json and text/event-stream');
    }
    exchange.readBody(maxBodyBytes, body => {
      if (body instanceof BodyProblem) refuse(exchange, body.status, body.message);
      else attempt(exchange, () => accept(exchange, parseJson(body), caller));
    });
  }

  function accept(exchange: Exchange, body: unknown, caller: Caller | undefined): Awaitable<void> {
    return admit(exchange, body, caller, () => receive(exchange, body, caller));
  }

  function receive(exchange: Exchange, body: unknown, caller: Caller | undefined): Awaitable<void> {
    if (Array.isArray(body)) return legacy.post(exchange, body, caller);
    const message = readMessage(body);
    // It may have been an answer, and only sessions wait for any.
    if (message.kind === 'malformed') return legacy.refuse(exchange, message, caller);
    if (message.kind === 'response') return legacy.post(exchange, message, caller);
    if (selectEra(message, name => exchange.header(name)) === 'legacy')
      return legacy.post(exchange, message, caller);
    if (message.kind === 'request') return modern.post(exchange, message, caller);
    exchange.respond(202);
  }

  function fail(exchange: Exchange, thrown: unknown): void {
    const error = McpError.from(thrown);
    if (error.code === ERROR.internal) service.report(thrown, 'http');
    refuse(exchange, error.code === ERROR.internal ? 500 : 400, error.message, { code: error.code });
  }

  /** Whatever happens, the exchange gets its response. */
  function attempt(exchange: Exchange, work: () => Awaitable<void>): void {
    try {
      const done = work();
      if (done instanceof Promise) done.catch(thrown => fail(exchange, thrown));
    } catch (thrown) {
      fail(exchange, thrown);
    }
  }

  return {
    handle(exchange) {
      attempt(exchange, () => route(exchange));
    },

    async close(graceMs = GRACE_MS) {
      if (closing.hasBegun) return;
      closing.begin();
      legacy.close();
      const drained = inFlight.drain(graceMs, new Cancelled('the server is shutting down'));
      await Promise.all([drained, sse?.close(graceMs)]);
    },
  };
}

/** Finds out who makes a request, or why nobody may as this one. */
type Identify = (request: ProtectedRequest) => Awaitable<Caller | Challenge | undefined>;

function createIdentify(
  protection: Protection | undefined,
  authenticate: Authenticate | undefined,
): Identify | undefined {
  if (protection) return request => protection.authenticate(request);
  if (!authenticate) return undefined;
  return request =>
    settle<Caller | undefined, Caller | Challenge | undefined>(
      () => authenticate(request),
      caller => caller,
      refuseThrown,
    );
}

/** The author's own function refuses by throwing. */
function refuseThrown(thrown: unknown): Challenge {
  const message = thrown instanceof McpError ? thrown.message : 'not authorized';
  return new Challenge(401, message, { 'www-authenticate': 'Bearer' });
}

/** Tells anybody, from any page, where tokens come from. */
function describe(exchange: Exchange, protection: Protection): void {
  const cors = { 'access-control-allow-origin': '*' };
  if (exchange.method === 'OPTIONS') return answerPreflight(exchange, cors);
  if (exchange.method !== 'GET' && exchange.method !== 'HEAD') {
    return refuse(exchange, 405, `${exchange.method} is not allowed here`, {
      headers: { allow: 'GET', ...cors },
    });
  }
  const document = protection.describe(exchange);
  if (document === undefined)
    return refuse(exchange, 404, 'there is no such resource here', { headers: cors });
  exchange.respond(200, document, { ...cors, 'cache-control': 'public, max-age=300' });
}
