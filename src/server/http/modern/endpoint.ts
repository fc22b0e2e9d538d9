import { Cancelled } from '../../../base/errors.js';
import { type Awaitable, andThen } from '../../../base/settle.js';
import type { Notification, Request } from '../../../jsonrpc/message.js';
import { type Caller, hasExpired } from '../../../protocol/caller.js';
import { ERROR, McpError } from '../../../protocol/errors.js';
import { HEADER } from '../../../protocol/headers.js';
import { httpStatus } from '../../../protocol/http-status.js';
import type { RequestMeta } from '../../../protocol/request-meta.js';
import type { Service } from '../../../protocol/service.js';
import { type Account, NoRoom } from '../../ledger.js';
import type { WarnLocal } from '../../local-only.js';
import type { ModernResponder } from '../../modern/responder.js';
import type { ClientCalls, RunningCall, RunningCalls } from '../../running-calls.js';
import type { Exchange } from '../exchange.js';
import { checkMirroredHeaders } from '../mcp-headers.js';
import { refuseFor } from '../refusal.js';
import { Reply, type ReplyOptions } from '../reply.js';

/** The revision without sessions over HTTP: each request stands alone. */
export class ModernHttp {
  readonly #service: Service;
  readonly #modern: ModernResponder;
  readonly #calls: ClientCalls;
  readonly #replies: ReplyOptions;
  readonly #warnLocal: WarnLocal;

  constructor(
    service: Service,
    modern: ModernResponder,
    running: RunningCalls,
    heartbeatMs: number,
    warnLocal: WarnLocal,
  ) {
    this.#service = service;
    this.#modern = modern;
    // One list for all clients: requests are cancelled by disconnecting here, not by their id.
    this.#calls = running.createList();
    this.#warnLocal = warnLocal;
    this.#replies = { heartbeatMs, rates: service.noticeRates };
  }

  /** Responds to a request with an envelope: checks its headers against its body, and cancels it on disconnect. */
  post(exchange: Exchange, request: Request, caller: Caller | undefined): Awaitable<void> {
    const envelope = this.#modern.check(request, name => exchange.header(name));
    if (envelope instanceof McpError) return this.#respondError(exchange, request, envelope);
    return andThen(checkMirroredHeaders(this.#service, exchange, request, caller), mismatch => {
      if (mismatch) this.#respondError(exchange, request, mismatch);
      else this.#respond(exchange, request, envelope, caller);
    });
  }

  #respond(exchange: Exchange, request: Request, envelope: RequestMeta, caller: Caller | undefined): void {
    const account = accountOf(exchange, caller);
    const refusal = account.refusal(request.weight);
    if (refusal) return refuseFor(exchange, refusal, request.id);

    const reply = new Reply(exchange, this.#replies);
    const running = this.#calls.start(request, account, answer =>
      reply.finish(answer, statusOf(answer?.code)),
    );
    exchange.onDisconnect(() => running.abort(new Cancelled('the client disconnected')));
    if (request.method === 'subscriptions/listen') {
      this.#warnLocal('changes');
      reply.onBeat = () => endWithToken(running, caller);
    }
    this.#modern.respond(request, envelope, reply, caller, running);
  }

  notify(exchange: Exchange, notification: Notification, caller: Caller | undefined): void {
    const version = exchange.header(HEADER.protocolVersion);
    const error = this.#modern.accept(notification, caller, accountOf(exchange, caller), version);
    if (error instanceof NoRoom) refuseFor(exchange, error);
    else if (error) this.#respondError(exchange, undefined, error);
    else exchange.respond(202);
  }

  #respondError(exchange: Exchange, request: Request | undefined, error: McpError): void {
    const { text, code } = this.#modern.answerError(request?.id, error);
    exchange.respond(httpStatus(code as number), text);
  }
}

/** All connections of a principal share an account. */
function accountOf({ account }: Exchange, caller: Caller | undefined): Account {
  return caller?.principal === undefined ? account : account.ledger.accountOf(caller.principal);
}

/** Ends a stream without its closing result, so that the client knows that it should reconnect. */
function endWithToken(running: RunningCall, caller: Caller | undefined): void {
  if (hasExpired(caller)) running.abort(new Cancelled('the access token has expired'));
}

/** Errors of a handler have status 200 like results, except those for which the specification names a status. */
function statusOf(code: number | undefined): number {
  return code === ERROR.methodNotFound || code === ERROR.missingCapability ? httpStatus(code) : 200;
}
