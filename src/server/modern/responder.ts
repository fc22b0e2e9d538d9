import { copyJson, type JsonObject } from '../../base/json.js';
import { OnDemand } from '../../base/on-demand.js';
import { type Awaitable, andThen, settle } from '../../base/settle.js';
import type { Notification, Request, RequestId } from '../../jsonrpc/message.js';
import type { Call, Result } from '../../protocol/call.js';
import type { Caller } from '../../protocol/caller.js';
import type { ClientCapabilities, ClientCapability, Implementation } from '../../protocol/capabilities.js';
import { invalidRequest, isPageRequired, McpError, missingCapability } from '../../protocol/errors.js';
import type { InputRequest, InputRequiredResult } from '../../protocol/input.js';
import { isInputRequired } from '../../protocol/input-required.js';
import { META } from '../../protocol/meta.js';
import type { RequestMeta } from '../../protocol/request-meta.js';
import { ROUND_ENDED, RoundEnded } from '../../protocol/round.js';
import type { Service } from '../../protocol/service.js';
import type { SingleUse } from '../../protocol/single-use.js';
import { Agreement } from '../../revisions/agreement.js';
import { checkRequest, unsupportedVersion } from '../../revisions/check-request.js';
import { createResultEncoder } from '../../revisions/encode.js';
import { findRevision, MODERN, type Revision } from '../../revisions/index.js';
import { checkResultType, refusalOf } from '../../revisions/refusals.js';
import {
  type AnswerHooks,
  type AnswerText,
  answerCall,
  answerError,
  keepShared,
  objectText,
  type ResultEncoder,
} from '../answer.js';
import type { Channel } from '../channel.js';
import type { Closing } from '../closing.js';
import type { Account } from '../ledger.js';
import type { RunningCall } from '../running-calls.js';
import type { Seal } from '../seal/seal.js';
import { takeNotification } from '../take-notification.js';
import { ModernCall, type RoundKeeper } from './call.js';
import { answerDiscover } from './discover.js';
import type { ModernPart } from './part.js';
import type { Rounds } from './rounds.js';

/** Serves the revisions whose requests carry their own envelope. */
export class ModernResponder {
  readonly #service: Service;
  readonly #closing: Closing;
  /** The revisions that are served, of both eras, and their names. */
  readonly #revisions: readonly Revision[];
  readonly #names: readonly string[];
  readonly #part: OnDemand<ModernPart>;
  /** Loaded before the first call that may have more than one round. */
  readonly #rounds: OnDemand<Rounds>;
  readonly #encoders: ReadonlyMap<Revision, ResultEncoder>;
  readonly #hooks: AnswerHooks<ModernCall>;
  readonly #keeper: RoundKeeper;

  /** `closing` ends the listen streams when the server shuts down; `part` is the code that is loaded on demand. */
  constructor(
    service: Service,
    options: {
      closing: Closing;
      seal: Seal;
      singleUse: SingleUse;
      part: OnDemand<ModernPart>;
      revisions: readonly Revision[];
    },
  ) {
    const { seal, singleUse, part } = options;
    this.#service = service;
    this.#closing = options.closing;
    this.#revisions = options.revisions;
    this.#names = options.revisions.map(({ name }) => name);
    const rounds = new OnDemand(async () => {
      const { Rounds, forServer } = await part.get();
      return new Rounds(forServer(seal, service), singleUse, service.roundLifetimeMs);
    });
    this.#part = part;
    this.#rounds = rounds;
    this.#encoders = new Map(MODERN.map(revision => [revision, createEncoder(service, revision)]));
    this.#hooks = createHooks(rounds);
    this.#keeper = {
      part,
      ended: (call, questions, problem) => this.#endRound(call, questions, problem),
      redeem: async state => (await rounds.get()).redeem(state),
      pass: async (state, number) => (await rounds.get()).pass(state, number),
      warn: (message, where) => service.warn(message, where),
    };
  }

  /** Checks the envelope of a request, and its version header where there are headers. */
  check(request: Request, header?: (name: string) => string | undefined): RequestMeta | McpError {
    // Without handshakes the answer to one is the revisions to use instead.
    if (request.method === 'initialize' && this.#revisions.every(revision => MODERN.includes(revision)))
      return unsupportedVersion(String(request.params.protocolVersion), this.#names);
    return checkRequest(request, { header, supported: this.#names });
  }

  /** Responds to a request whose envelope is valid. */
  respond(
    request: Request,
    envelope: RequestMeta,
    channel: Channel,
    caller: Caller | undefined,
    running: RunningCall,
  ): void {
    const revision = findRevision(envelope.protocolVersion) as Revision;
    const agreement = this.#agree(revision, envelope.clientCapabilities);
    const call = new ModernCall(request, envelope, agreement, channel, caller, running, this.#keeper);
    const { continues } = call;
    // A question must not wait for its code: all questions of the same turn are sent together.
    if (!continues && (this.#rounds.loaded || !call.mayAsk)) return this.#run(call);
    void settle(
      () => andThen(this.#rounds.get(), rounds => (continues ? rounds.resume(call) : undefined)),
      () => running.isOver || this.#run(call),
      thrown => running.finish(this.answerError(call.id, McpError.from(thrown))),
    );
  }

  /**
   * Takes a notification. Its envelope and its headers are optional, but must be right if they are there. Returns the
   * error if it cannot be accepted.
   * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#sending-messages
   */
  accept(
    notification: Notification,
    caller: Caller | undefined,
    account: Account,
    header?: string,
  ): McpError | undefined {
    const { method, params } = notification;
    const meta = {
      [META.protocolVersion]: MODERN[0]?.name,
      [META.clientCapabilities]: {},
      ...(params._meta as object),
    };
    const envelope = checkRequest(
      { params: { _meta: meta } },
      { supported: this.#names, ...(header !== undefined && { header: () => header }) },
    );
    if (envelope instanceof McpError) return envelope;
    const { protocolVersion, clientInfo, clientCapabilities } = envelope;
    const revision = findRevision(protocolVersion) as Revision;
    const agreement = this.#agree(revision, clientCapabilities);
    const obstacle = agreement.whyNot('client', method);
    if (obstacle?.missing?.side === 'client')
      return missingCapability(method, obstacle.missing.capability as ClientCapability);
    if (obstacle) return invalidRequest(obstacle.message);
    const client = { info: clientInfo, capabilities: clientCapabilities };
    return takeNotification(this.#service, notification, { client, session: undefined, caller }, account);
  }

  /** An error in the format of the newest revision. */
  answerError(id: RequestId | undefined, error: McpError): AnswerText {
    return answerError(MODERN[0] as Revision, id, error);
  }

  #agree(revision: Revision, client: ClientCapabilities): Agreement {
    return new Agreement(revision, client, this.#service.capabilities(), this.#service.claims);
  }

  #run(call: ModernCall): void {
    const own = ownMethod(this.#service, call, this.#closing, this.#part, this.#revisions);
    this.#answer(call, () => this.#service.handle(call, own), call.running, this.#hooks);
  }

  /** Sends the questions as the result of the call, and aborts the handler, whose own result no longer counts. */
  #endRound(call: ModernCall, questions: Record<string, InputRequest>, problem: McpError | undefined): void {
    const finish = call.running.takeOver();
    const ask = () => andThen(this.#rounds.get(), rounds => rounds.ask(call, questions, problem));
    if (finish) this.#answer(call, ask, { finish });
    call.running.abort(ROUND_ENDED);
  }

  #answer(
    call: ModernCall,
    work: () => Awaitable<Result>,
    outcome: { finish(answer: AnswerText): void },
    hooks?: AnswerHooks<ModernCall>,
  ): void {
    const { revision } = call.agreement;
    const encode = this.#encoders.get(revision) as ResultEncoder;
    answerCall(this.#service, revision, encode, call, work, outcome, hooks);
  }
}

function createHooks(rounds: OnDemand<Rounds>): AnswerHooks<ModernCall> {
  // The response is the questions of the round, which are sent already or will be.
  const ignores = (thrown: unknown, call: ModernCall) =>
    call.isSuspended && (call.isOver || thrown instanceof RoundEnded);
  const askByHand = (call: ModernCall, asked: InputRequiredResult) =>
    andThen(rounds.get(), loaded => loaded.askByHand(call, asked));
  return {
    finish(result, call) {
      // A failed result before the round has ended is the response; any other result gives way to the questions.
      if (call.isSuspended && (call.isOver || !isFailure(result))) return undefined;
      if (isInputRequired(result)) return askByHand(call, result);
      checkResultType(call.agreement, result);
      // It depends on answers that no cache knows of.
      return call.continues && 'cacheScope' in result
        ? { ...result, ttlMs: 0, cacheScope: 'private' }
        : result;
    },
    ignores,
    rescue(thrown, call) {
      if (!isPageRequired(thrown) || ignores(thrown, call)) return undefined;
      return andThen(rounds.get(), loaded => loaded.askForPages(call, thrown));
    },
  };
}

/** Handles the methods that belong to this era; refuses those that the server does not offer in it. */
function ownMethod(
  service: Service,
  call: ModernCall,
  closing: Closing,
  part: OnDemand<ModernPart>,
  revisions: readonly Revision[],
): ((current: Call) => Awaitable<Result>) | undefined {
  if (!call.agreement.maySend('client', call.method)) {
    return () => {
      throw refusalOf(call.agreement, call.method);
    };
  }
  switch (call.method) {
    case 'server/discover':
      return () => answerDiscover(service, revisions);
    case 'subscriptions/listen':
      return current =>
        andThen(part.get(), ({ answerListen }) => answerListen(service, call, current.params, closing));
    default:
      return undefined;
  }
}

function isFailure(result: Result): boolean {
  return (result as { isError?: unknown }).isError === true;
}

/**
 * Every result has its type and the server's info. Both are put in front of the result's own text, because they are
 * the same for all; only a result with its own `_meta` has to be merged.
 */
function createEncoder(service: Service, revision: Revision): ResultEncoder {
  const encode = createResultEncoder(revision);
  let info: Implementation | undefined;
  let serverInfo: JsonObject | undefined;
  let head = '{"resultType":"complete"';
  // A server that is replaced may have another version.
  const follow = () => {
    info = service.info;
    serverInfo = service.sendsInfo ? { [META.serverInfo]: info } : undefined;
    head = `{"resultType":"complete"${serverInfo ? `,"_meta":${JSON.stringify(serverInfo)}` : ''}`;
  };
  return keepShared((method, result) => {
    if (info !== service.info) follow();
    // A result that was checked has no `toJSON`; one of a method of the author may have.
    const encoded = encode(method, 'toJSON' in result ? copyJson(result) : result);
    if ('_meta' in encoded || 'resultType' in encoded) {
      const { resultType = 'complete', _meta, ...rest } = encoded;
      const meta = serverInfo || _meta ? { ...serverInfo, ...(_meta as JsonObject | undefined) } : undefined;
      return objectText({ resultType, ...rest, ...(meta && { _meta: meta }) });
    }
    const text = objectText(encoded);
    return text === '{}' ? `${head}}` : `${head},${text.slice(1)}`;
  });
}
