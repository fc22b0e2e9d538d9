import { isObject, type JsonObject } from '../../base/json.js';
import type { Notification, Request, RequestId, Response } from '../../jsonrpc/message.js';
import type { ClientDescription, Result } from '../../protocol/call.js';
import type { Caller } from '../../protocol/caller.js';
import { type ClientCapabilities, hasCapability } from '../../protocol/capabilities.js';
import {
  invalidParams,
  invalidRequest,
  McpError,
  missingCapability,
  type RequiredPage,
} from '../../protocol/errors.js';
import { isInputRequired } from '../../protocol/input.js';
import { isLogLevel, LOG_LEVELS } from '../../protocol/logging.js';
import { isImplementation } from '../../protocol/request-meta.js';
import type { Service } from '../../protocol/service.js';
import { decodeCapabilities } from '../../revisions/decode.js';
import { createResultEncoder, encodeCapabilities, encodeImplementation } from '../../revisions/encode.js';
import { LEGACY, type Revision } from '../../revisions/index.js';
import {
  type Answer,
  type AnswerHooks,
  answerCall,
  answerError,
  type Deliver,
  keepShared,
  objectText,
  type ResultEncoder,
} from '../answer.js';
import { askByHand } from './by-hand.js';
import { LegacyCall } from './call.js';
import { type Handshake, LegacySession } from './session.js';

/** Serves the revisions that begin with a handshake. */
export interface LegacyServer {
  /** Answers `initialize`; the handshake is there if it succeeded. `revisions` are the ones allowed here. */
  initialize(
    request: Request,
    caller: Caller | undefined,
    revisions?: readonly Revision[],
  ): Promise<Answer & { handshake?: Handshake }>;
  /** Answers a request of a session. */
  respond(call: LegacyCall, deliver: Deliver): void;
  /** Takes what needs no answer. */
  accept(session: LegacySession, message: Notification | Response): void;
}

export function createLegacyServer(service: Service): LegacyServer {
  const encoders = new Map(LEGACY.map(revision => [revision, createEncoder(revision)]));
  const encoderOf = (revision: Revision) => encoders.get(revision) as ResultEncoder;
  const hooks: AnswerHooks<LegacyCall> = {
    finish: (result, call) =>
      isInputRequired(result) ? askByHand(call, result, again => service.handle(again)) : result,
    rescue: (thrown, call) =>
      thrown instanceof McpError && thrown.reason === 'page-required'
        ? requirePages(call, thrown)
        : undefined,
  };

  return {
    async initialize(request, caller, revisions = LEGACY) {
      const newest = revisions[0] as Revision;
      const asked = request.params.protocolVersion;
      const revision = revisions.find(({ name }) => name === asked) ?? newest;
      const handshake = { revision, client: readClient(revision, request.params) };
      const call = new LegacyCall(request, new LegacySession(handshake), { send() {} }, caller);
      // Nothing is sent about a handshake, so whatever middleware asked here would wait in vain.
      call.isOver = true;
      const welcome = () => {
        checkInitialize(request.params);
        return describe(service, revision);
      };
      const answer = await new Promise<Answer>(resolve =>
        answerCall(
          service,
          revision,
          encoderOf(revision),
          call,
          () => service.handle(call, welcome),
          resolve,
          hooks,
        ),
      );
      return answer.code === undefined ? { ...answer, handshake } : answer;
    },

    respond(call, deliver) {
      const { session, cancellation } = call;
      const { revision } = session.handshake;
      const own = OWN_METHODS.get(call.method);
      const slot = session.start(call);
      cancellation.deliverTo((answer: Answer | undefined) => {
        call.isOver = true;
        session.finish(slot);
        deliver(answer);
      });
      answerCall(
        service,
        revision,
        encoderOf(revision),
        call,
        () => service.handle(call, own && (current => own(session, current.params))),
        answer => cancellation.finish(answer),
        hooks,
      );
    },

    accept(session, message) {
      if (message.kind === 'response') return session.peer.settle(message);
      switch (message.method) {
        case 'notifications/cancelled':
          return session.cancel(message.params.requestId as RequestId, message.params.reason);
        case 'notifications/progress':
          return session.peer.progress(message.params);
        default: {
          const { client } = session.handshake;
          return service.notified(message.method, message.params, { client, session });
        }
      }
    },
  };
}

/** The answer to a request that came before `initialize`, or to something that is not a message. */
export function refuse(id: RequestId | undefined, message: string): Answer {
  return answerError(LEGACY[0] as Revision, id, invalidRequest(message));
}

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

/** The error about pages is only for clients that open them; others get what those of older revisions get. */
function requirePages(call: LegacyCall, error: McpError): Result | undefined {
  const { session, client, method } = call;
  const hasPages = session.handshake.revision.elicitation.url;
  if (!hasPages || hasCapability(client.capabilities, 'elicitation.url')) {
    rememberPages(session, error.data);
    return undefined;
  }
  if (method === 'tools/call') return { content: [{ type: 'text', text: error.message }], isError: true };
  throw missingCapability('elicitation.url', `a page for the user (${error.message})`);
}

/** The client is told of pages by an error, too, and of what was done there by the same notice. */
function rememberPages(session: LegacySession, data: unknown): void {
  if (!session.handshake.revision.elicitation.ids) return;
  const { elicitations } = data as { elicitations: Required<RequiredPage>[] };
  for (const { elicitationId } of elicitations) session.sentToPage(elicitationId);
}

function readUri(params: JsonObject): string {
  if (typeof params.uri !== 'string') throw invalidParams('uri must be a string');
  return params.uri;
}
