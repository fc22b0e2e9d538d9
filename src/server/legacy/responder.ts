import { isObject, type JsonObject } from '../../base/json.js';
import type {
  Malformed,
  Message,
  Notification,
  Request,
  RequestId,
  Response,
} from '../../jsonrpc/message.js';
import type { Call, ClientDescription, Result } from '../../protocol/call.js';
import type { Caller } from '../../protocol/caller.js';
import type { ClientCapabilities } from '../../protocol/capabilities.js';
import { invalidParams, invalidRequest, McpError } from '../../protocol/errors.js';
import { isInputRequired } from '../../protocol/input.js';
import { isLogLevel, LOG_LEVELS } from '../../protocol/logging.js';
import { isImplementation } from '../../protocol/request-meta.js';
import type { Service } from '../../protocol/service.js';
import { decodeCapabilities } from '../../revisions/decode.js';
import { createResultEncoder, encodeCapabilities, encodeImplementation } from '../../revisions/encode.js';
import { LEGACY, type Revision } from '../../revisions/index.js';
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
import type { RunningCalls } from '../running-calls.js';
import { askAndRunAgain } from './by-hand.js';
import { LegacyCall } from './call.js';
import { answerRequiredPages } from './required-pages.js';
import { type Handshake, LegacySession } from './session.js';

/** What came of a request to open a session. */
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
  readonly #encoders = new Map(LEGACY.map(revision => [revision, createEncoder(revision)]));
  readonly #hooks: AnswerHooks<LegacyCall>;

  /** `running` are the calls of the door that it answers for. */
  constructor(service: Service, running: RunningCalls) {
    this.#service = service;
    this.#running = running;
    this.#hooks = {
      finish: (result, call) =>
        isInputRequired(result) ? askAndRunAgain(call, result, again => service.handle(again)) : result,
      rescue: (thrown, call) =>
        thrown instanceof McpError && thrown.reason === 'page-required'
          ? answerRequiredPages(call, thrown)
          : undefined,
    };
  }

  /** Answers `initialize`. */
  async initialize(request: Request, caller: Caller | undefined): Promise<Opening> {
    const asked = request.params.protocolVersion;
    const revision = LEGACY.find(({ name }) => name === asked) ?? (LEGACY[0] as Revision);
    const handshake = { revision, client: readClient(revision, request.params) };
    const session = new LegacySession(handshake, this.#running.createList());
    const welcome = () => {
      checkInitialize(request.params);
      return describe(this.#service, revision);
    };
    const answer = await answerTo(deliver =>
      this.#answer(request, session, NO_CHANNEL, caller, deliver, welcome),
    );
    return { answer, handshake: answer && answer.code === undefined ? handshake : undefined };
  }

  /** Answers a request of a session. */
  respond(
    request: Request,
    session: LegacySession,
    channel: Channel,
    caller: Caller | undefined,
    deliver: Deliver,
  ): void {
    const own = OWN_METHODS.get(request.method);
    this.#answer(
      request,
      session,
      channel,
      caller,
      deliver,
      own && (current => own(session, current.params)),
    );
  }

  /** Answers a batch with the texts of its answers; empty if nothing in it needs one. */
  async respondToBatch(
    messages: readonly (Message | Malformed)[],
    session: LegacySession,
    channel: Channel,
    caller: Caller | undefined,
  ): Promise<string[]> {
    const answers = await Promise.all(
      messages.map(async message => {
        if (message.kind === 'malformed') return { text: session.answerMalformed(message) };
        if (message.kind === 'request')
          return answerTo(deliver => this.respond(message, session, channel, caller, deliver));
        this.accept(session, message);
        return undefined;
      }),
    );
    return answers.flatMap(answer => (answer ? [answer.text] : []));
  }

  /** Takes what needs no answer. */
  accept(session: LegacySession, message: Notification | Response): void {
    if (message.kind === 'response') return session.peer.settle(message);
    switch (message.method) {
      case 'notifications/cancelled':
        return session.calls.cancel(message.params);
      case 'notifications/progress':
        return session.peer.progress(message.params);
      default: {
        const { client } = session.handshake;
        return this.#service.notified(message.method, message.params, { client, session });
      }
    }
  }

  #answer(
    request: Request,
    session: LegacySession,
    channel: Channel,
    caller: Caller | undefined,
    deliver: Deliver,
    own: ((current: Call) => Result) | undefined,
  ): void {
    const { revision } = session.handshake;
    const running = session.calls.start(request.id, request.method, deliver);
    const call = new LegacyCall(request, session, channel, caller, running);
    const encode = this.#encoders.get(revision) as ResultEncoder;
    const work = () => this.#service.handle(call, own);
    answerCall(this.#service, revision, encode, call, work, running, this.#hooks);
  }
}

/** The answer to a request that came before `initialize`, or to something that is not a message. */
export function answerInvalid(id: RequestId | undefined, message: string): AnswerText {
  return answerError(LEGACY[0] as Revision, id, invalidRequest(message));
}

/** Nothing is sent about a handshake, so a question that middleware asked here would wait in vain. */
const NO_CHANNEL: Channel = { send() {}, isClosed: true };

/** The methods that change the session rather than use the registry. */
const OWN_METHODS: ReadonlyMap<string, (session: LegacySession, params: JsonObject) => Result> = new Map([
  ['ping', () => ({})],
  [
    'initialize',
    () => {
      throw invalidRequest('this connection is already initialized; open a new one for another handshake');
    },
  ],
  [
    'logging/setLevel',
    (session: LegacySession, { level }: JsonObject) => {
      if (!isLogLevel(level)) throw invalidParams(`level must be one of ${LOG_LEVELS.join(', ')}`);
      session.logLevel = level;
      return {};
    },
  ],
  [
    'resources/subscribe',
    (session: LegacySession, params: JsonObject) => {
      session.subscribe(readUri(params));
      return {};
    },
  ],
  [
    'resources/unsubscribe',
    (session: LegacySession, params: JsonObject) => {
      session.unsubscribe(readUri(params));
      return {};
    },
  ],
]);

function createEncoder(revision: Revision): ResultEncoder {
  const encode = createResultEncoder(revision);
  return keepShared((method, result) => objectText(encode(method, result)));
}

function describe(service: Service, revision: Revision): Result {
  return {
    protocolVersion: revision.name,
    capabilities: encodeCapabilities(revision, service.capabilities()),
    serverInfo: encodeImplementation(revision, service.info),
    ...(service.instructions !== undefined && { instructions: service.instructions }),
  };
}

function checkInitialize(params: JsonObject): void {
  if (typeof params.protocolVersion !== 'string') throw invalidParams('initialize needs a protocolVersion');
  if (!isObject(params.capabilities)) throw invalidParams('initialize needs the capabilities of the client');
  if (!isImplementation(params.clientInfo))
    throw invalidParams('initialize needs clientInfo with name and version');
}

function readClient(revision: Revision, params: JsonObject): ClientDescription {
  const capabilities = (isObject(params.capabilities) ? params.capabilities : {}) as ClientCapabilities;
  return {
    info: isImplementation(params.clientInfo) ? params.clientInfo : undefined,
    capabilities: decodeCapabilities(revision, capabilities),
  };
}

function readUri(params: JsonObject): string {
  if (typeof params.uri !== 'string') throw invalidParams('uri must be a string');
  return params.uri;
}
