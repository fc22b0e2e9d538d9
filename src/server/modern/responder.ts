import type { JsonObject } from '../../base/json.js';
import { type Awaitable, settle } from '../../base/settle.js';
import type { Request } from '../../jsonrpc/message.js';
import type { Call, Result } from '../../protocol/call.js';
import type { Caller } from '../../protocol/caller.js';
import { toDiscoverResult } from '../../protocol/discovery.js';
import { McpError, methodNotFound } from '../../protocol/errors.js';
import { isInputRequired } from '../../protocol/input.js';
import { climbLadder } from '../../protocol/ladder.js';
import { META } from '../../protocol/meta.js';
import type { RequestMeta } from '../../protocol/request-meta.js';
import { ROUND_ENDED, RoundEnded } from '../../protocol/round.js';
import type { Service } from '../../protocol/service.js';
import type { SingleUse } from '../../protocol/single-use.js';
import { createResultEncoder } from '../../revisions/encode.js';
import { findRevision, LEGACY, MODERN, REVISIONS, type Revision } from '../../revisions/index.js';
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
import type { Channel } from '../channel.js';
import type { Closing } from '../closing.js';
import type { Seal } from '../seal/seal.js';
import { ModernCall } from './call.js';
import { listen } from './listen.js';
import type { RoundEnd } from './round.js';
import { createRounds, isPageRequired } from './rounds.js';

/** Serves the revisions whose requests carry their own envelope. */
export interface ModernServer {
  /** Checks the envelope of a request, and its version header where there are headers. */
  check(request: Request, header?: (name: string) => string | undefined): RequestMeta | McpError;
  /** Makes the call of a request whose envelope is good. */
  open(request: Request, envelope: RequestMeta, channel: Channel, caller: Caller | undefined): ModernCall;
  /** Answers a call. */
  respond(call: ModernCall, deliver: Deliver): void;
  /** An error in the words of the newest revision. */
  refuse(id: Request['id'] | undefined, error: McpError): Answer;
}

/** `closing` ends the listen streams: the server is shutting down. */
export function createModernServer(
  service: Service,
  options: { closing: Closing; seal: Seal; singleUse: SingleUse },
): ModernServer {
  const { closing } = options;
  const rounds = createRounds(options.seal, options.singleUse, service.info.name);
  const supported = MODERN.map(revision => revision.name);
  const encoders = new Map(MODERN.map(revision => [revision, createEncoder(service, revision)]));

  const outcomes: AnswerHooks<ModernCall> = {
    finish(result, call) {
      // An error that comes before the round has ended is the answer; anything else gives way to the questions.
      if (call.isSuspended && (call.isOver || !isFailure(result))) return undefined;
      return isInputRequired(result) ? rounds.askByHand(call, result) : result;
    },
    // The round has asked, or is about to; that is the answer.
    ignores: (thrown, call) => call.isSuspended && (call.isOver || thrown instanceof RoundEnded),
    rescue(thrown, call) {
      if (!isPageRequired(thrown) || outcomes.ignores?.(thrown, call)) return undefined;
      return rounds.askForPages(call, thrown);
    },
  };

  function run(call: ModernCall): void {
    const own = ownMethod(service, call, closing);
    const deliver = (answer: Answer) => call.cancellation.finish(answer);
    answer(call, () => service.handle(call, own), deliver, outcomes);
  }

  function endRound(call: ModernCall, end: RoundEnd): void {
    // The questions are the result of a call whose handler will not give one, and whose work is to stop now.
    const deliver = call.cancellation.takeOver();
    if (deliver) answer(call, () => rounds.ask(call, end), deliver);
    call.cancellation.abort(ROUND_ENDED);
  }

  function answer(
    call: ModernCall,
    work: () => Awaitable<Result>,
    deliver: (answer: Answer) => void,
    hooks?: AnswerHooks<ModernCall>,
  ): void {
    const { spoken } = call;
    answerCall(service, spoken, encoders.get(spoken) as ResultEncoder, call, work, deliver, hooks);
  }

  function refuse(id: Request['id'] | undefined, error: McpError): Answer {
    return answerError(MODERN[0] as Revision, id, error);
  }

  return {
    check(request, header) {
      return climbLadder(request, { supported, header });
    },

    open(request, envelope, channel, caller) {
      const revision = findRevision(envelope.protocolVersion) as Revision;
      return new ModernCall(request, envelope, revision, channel, caller, endRound);
    },

    respond(call, deliver) {
      call.cancellation.deliverTo(deliver);
      if (!rounds.continues(call)) return run(call);
      void settle(
        () => rounds.resume(call),
        () => run(call),
        thrown => call.cancellation.finish(refuse(call.id, McpError.from(thrown))),
      );
    },

    refuse,
  };
}

/** The methods that belong to the era, and those that the era no longer has. */
function ownMethod(
  service: Service,
  call: ModernCall,
  closing: Closing,
): ((current: Call) => Awaitable<Result>) | undefined {
  switch (call.method) {
    case 'server/discover':
      return () => discover(service);
    case 'subscriptions/listen':
      return current => listen(service, call, current.params, closing);
    default:
      if (!REMOVED.has(call.method)) return undefined;
      return () => {
        throw methodNotFound(call.method);
      };
  }
}

const REMOVED: ReadonlySet<string> = new Set(
  LEGACY.flatMap(({ requests }) => [...requests]).filter(method => !MODERN[0]?.requests.has(method)),
);

function isFailure(result: Result): boolean {
  return (result as { isError?: unknown }).isError === true;
}

function discover(service: Service): Result {
  return toDiscoverResult({
    supportedVersions: REVISIONS.map(revision => revision.name),
    capabilities: service.capabilities(),
    ...(service.instructions !== undefined && { instructions: service.instructions }),
    cacheHint: service.discovery,
  });
}

/**
 * Every result says what kind it is and who made it. Both are put in front of the result's own text, since
 * they are the same for all; only a result with a `_meta` of its own has to be merged.
 */
function createEncoder(service: Service, revision: Revision): ResultEncoder {
  const serverInfo = { [META.serverInfo]: service.info };
  const head = `{"resultType":"complete","_meta":${JSON.stringify(serverInfo)}`;
  const encode = createResultEncoder(revision);
  return keepShared((method, result) => {
    const encoded = encode(method, result);
    if ('_meta' in encoded || 'resultType' in encoded) {
      const meta = { ...serverInfo, ...(encoded._meta as JsonObject | undefined) };
      return objectText({ resultType: 'complete', ...encoded, _meta: meta });
    }
    const text = objectText(encoded);
    return text === '{}' ? `${head}}` : `${head},${text.slice(1)}`;
  });
}
