import { clip } from '../../base/clip.js';
import type { JsonObject } from '../../base/json.js';
import type { OnDemand } from '../../base/on-demand.js';
import { type Awaitable, andThen } from '../../base/settle.js';
import type {
  Malformed,
  Message,
  Notification,
  Request,
  RequestId,
  Response,
} from '../../jsonrpc/message.js';
import type { Call, Result } from '../../protocol/call.js';
import type { Caller } from '../../protocol/caller.js';
import { invalidRequest, McpError } from '../../protocol/errors.js';
import { isInputRequired } from '../../protocol/input-required.js';
import type { Service } from '../../protocol/service.js';
import { createResultEncoder } from '../../revisions/encode.js';
import { LEGACY, type Revision } from '../../revisions/index.js';
import { checkResultType, refusalOf } from '../../revisions/refusals.js';
import {
  type AnswerHooks,
  type AnswerText,
  answerCall,
  answerError,
  answerTo,
  type Deliver,
  keepShared,
  objectText,
  type ResultEncoder,
} from '../answer.js';
import type { Channel } from '../channel.js';
import type { Account, NoRoom } from '../ledger.js';
import type { RunningCalls } from '../running-calls.js';
import { takeNotification } from '../take-notification.js';
import { LegacyCall } from './call.js';
import { completeHandshake, type Handshake, readHandshake } from './handshake.js';
import type { LegacyPart } from './part.js';
import { LegacySession } from './session.js';
import { SESSION_METHODS } from './session-methods.js';

/** The outcome of an `initialize` request. */
export interface Opening {
  /** Undefined if the server closed before the handshake was complete. */
  answer: AnswerText | undefined;
  /** Undefined if the handshake failed. */
  handshake: Handshake | undefined;
}

/** Serves the revisions that begin with a handshake. */
export class LegacyResponder {
  readonly #service: Service;
  readonly #running: RunningCalls;
  readonly #part: OnDemand<LegacyPart>;
  readonly #encoders = new Map(LEGACY.map(revision => [revision, createEncoder(revision)]));
  readonly #hooks: AnswerHooks<LegacyCall>;
  /** The revisions that are served. */
  readonly #revisions: readonly Revision[];

  /** `running` are the calls of the transport that it responds for; `part` is the code that is loaded on demand. */
  constructor(
    service: Service,
    running: RunningCalls,
    part: OnDemand<LegacyPart>,
    revisions: readonly Revision[],
  ) {
    this.#revisions = revisions.filter(revision => LEGACY.includes(revision));
    this.#service = service;
    this.#running = running;
    this.#part = part;
    this.#hooks = {
      finish: (result, call) => {
        if (isInputRequired(result)) {
          return andThen(part.get(), ({ askAndRunAgain }) =>
            askAndRunAgain(call, result, again => service.handle(again)),
          );
        }
        checkResultType(call.session.handshake.agreement, result);
        return result;
      },
      rescue: (thrown, call) =>
        thrown instanceof McpError && thrown.reason === 'page-required'
          ? andThen(part.get(), ({ answerRequiredPages }) => answerRequiredPages(call, thrown))
          : undefined,
    };
  }

  /** `account` is charged while the handshake lasts. */
  async initialize(request: Request, caller: Caller | undefined, account: Account): Promise<Opening> {
    const read = (params: JsonObject) =>
      readHandshake(params, this.#service.capabilities(), this.#service.claims, this.#revisions);
    let handshake = read(request.params);
    const session = new LegacySession(
      handshake,
      this.#running.createList(),
      () => account,
      this.#service,
      this.#part,
    );
    const welcome = ({ params }: Call) => {
      // Middleware may have changed them.
      handshake = read(params);
      return completeHandshake(handshake, params, this.#service);
    };
    const answer = await answerTo(deliver =>
      this.#answer(request, session, NO_CHANNEL, caller, deliver, welcome),
    );
    // Messages of a batch are taken in the turn in which it comes, so their code has to be there by then.
    if (handshake.revision.batches) await this.#part.get();
    return { answer, handshake: answer && answer.code === undefined ? handshake : undefined };
  }

  /** Responds to a request of a session. */
  respond(
    request: Request,
    session: LegacySession,
    channel: Channel,
    caller: Caller | undefined,
    deliver: Deliver,
    account: Account = session.account,
  ): void {
    const { method } = request;
    const own = SESSION_METHODS.get(method);
    const handle = session.handshake.agreement.maySend('client', method)
      ? own &&
        ((current: Call) =>
          own(session, current.params, uri => this.#service.hasResource(uri, current.caller)))
      : () => {
          throw refusalOf(session.handshake.agreement, method);
        };
    this.#answer(request, session, channel, caller, deliver, handle, account);
  }

  /**
   * Returns the texts of all responses to a batch of some weight; empty if no message in it needs one. `refused` is
   * called with the reason for each other message that cannot be accepted.
   */
  respondToBatch(
    messages: readonly (Message | Malformed)[],
    weight: number,
    session: LegacySession,
    channel: Channel,
    caller: Caller | undefined,
    refused?: (problem: string) => void,
  ): Awaitable<string[]> {
    const from = { responder: this, service: this.#service, session, channel, caller, refused };
    return andThen(this.#part.get(), ({ respondToBatch }) => respondToBatch(messages, weight, from));
  }

  /** Takes a message that needs no response. Returns the reason if it cannot be accepted. */
  accept(
    session: LegacySession,
    message: Notification | Response,
    caller: Caller | undefined,
    account: Account = session.account,
  ): string | NoRoom | undefined {
    if (message.kind === 'response')
      return session.answer(message)
        ? undefined
        : `this server did not ask question ${clip(String(message.id))}`;
    const { method, params } = message;
    const { agreement, client } = session.handshake;
    const obstacle = agreement.whyNot('client', method);
    if (obstacle) return obstacle.message;
    if (method === 'notifications/cancelled') session.calls.cancel(params);
    else if (method === 'notifications/progress') session.progressed(params);
    else {
      if (method === 'notifications/initialized') session.initialized();
      return takeNotification(this.#service, message, { client, session, caller }, account);
    }
    return undefined;
  }

  #answer(
    request: Request,
    session: LegacySession,
    channel: Channel,
    caller: Caller | undefined,
    deliver: Deliver,
    own: ((current: Call) => Awaitable<Result>) | undefined,
    account: Account = session.account,
  ): void {
    const { revision } = session.handshake;
    const running = session.calls.start(request, account, deliver);
    const call = new LegacyCall(request, session, channel, caller, running);
    const encode = this.#encoders.get(revision) as ResultEncoder;
    const work = () => this.#service.handle(call, own);
    answerCall(this.#service, revision, encode, call, work, running, this.#hooks);
  }
}

/** The response to a request that came before `initialize`, or to an invalid message. */
export function answerInvalid(id: RequestId | undefined, message: string): AnswerText {
  return answerError(LEGACY[0] as Revision, id, invalidRequest(message));
}

/** Nothing may be sent during a handshake, so a question that middleware asks then would never be answered. */
const NO_CHANNEL: Channel = { send() {}, notify() {}, announce() {}, isClosed: true };

function createEncoder(revision: Revision): ResultEncoder {
  const encode = createResultEncoder(revision);
  return keepShared((method, result) => {
    const encoded = encode(method, result);
    const { resultType } = result as { resultType?: unknown };
    // The revision has no types of results, but an extension that both sides declared may.
    const isOwn = resultType !== undefined && resultType !== 'complete';
    return objectText(isOwn ? { ...encoded, resultType } : encoded);
  });
}
