import type { Request } from '../../jsonrpc/message.js';
import type { Auth } from '../../protocol/auth.js';
import type { Call, Result, Service } from '../../protocol/call.js';
import { toDiscoverResult } from '../../protocol/discovery.js';
import { type McpError, methodNotFound } from '../../protocol/errors.js';
import type { JsonObject } from '../../protocol/json.js';
import { climbLadder } from '../../protocol/ladder.js';
import { META } from '../../protocol/meta.js';
import type { RequestMeta } from '../../protocol/request-meta.js';
import type { Awaitable } from '../../protocol/settle.js';
import { createResultEncoder } from '../../revisions/encode.js';
import { findRevision, LEGACY, MODERN, REVISIONS, type Revision } from '../../revisions/index.js';
import { type Answer, answerCall, answerError, keepShared, type ResultEncoder } from '../answer.js';
import type { Channel } from '../channel.js';
import { ModernCall } from './call.js';
import { listen } from './listen.js';

/** Serves the revisions whose requests carry their own envelope. */
export interface ModernServer {
  /** Checks the envelope of a request, and its version header where there are headers. */
  check(request: Request, header?: (name: string) => string | undefined): RequestMeta | McpError;
  /** Makes the call of a request whose envelope is good. */
  open(request: Request, envelope: RequestMeta, channel: Channel, auth: Auth | undefined): ModernCall;
  /** Answers a call; undefined if the client no longer wants an answer. */
  respond(call: ModernCall): Awaitable<Answer | undefined>;
  /** An error in the words of the newest revision. */
  refuse(id: Request['id'] | undefined, error: McpError): Answer;
}

/** `closing` ends the listen streams: the server is shutting down. */
export function createModernServer(service: Service, closing: AbortSignal): ModernServer {
  const supported = MODERN.map(revision => revision.name);
  const encoders = new Map(MODERN.map(revision => [revision, createEncoder(service, revision)]));

  return {
    check(request, header) {
      return climbLadder(request, { supported, header });
    },

    open(request, envelope, channel, auth) {
      const revision = findRevision(envelope.protocolVersion) as Revision;
      return new ModernCall(request, envelope, revision, channel, auth);
    },

    respond(call) {
      const revision = findRevision(call.revision) as Revision;
      const encode = encoders.get(revision) as ResultEncoder;
      const answer = answerCall(service, revision, encode, call, ownMethod(service, call, closing));
      return call.cancellation.unlessAborted(answer);
    },

    refuse(id, error) {
      return answerError(MODERN[0] as Revision, id, error);
    },
  };
}

/** The methods that belong to the era, and those that the era no longer has. */
function ownMethod(
  service: Service,
  call: ModernCall,
  closing: AbortSignal,
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

function discover(service: Service): Result {
  return toDiscoverResult({
    supportedVersions: REVISIONS.map(revision => revision.name),
    capabilities: service.capabilities(),
    ...(service.instructions !== undefined && { instructions: service.instructions }),
    cache: service.discovery,
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
      return JSON.stringify({ resultType: 'complete', ...encoded, _meta: meta });
    }
    const text = JSON.stringify(encoded);
    return text === '{}' ? `${head}}` : `${head},${text.slice(1)}`;
  });
}
