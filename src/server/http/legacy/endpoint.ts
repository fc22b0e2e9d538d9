import { Cancelled } from '../../../base/errors.js';
import { type Awaitable, andThen } from '../../../base/settle.js';
import { errorText, type Malformed, type Message, type Request } from '../../../jsonrpc/message.js';
import { type Caller, hasExpired } from '../../../protocol/caller.js';
import { McpError } from '../../../protocol/errors.js';
import { HEADER } from '../../../protocol/headers.js';
import type { Service } from '../../../protocol/service.js';
import { findLegacy, LEGACY } from '../../../revisions/index.js';
import { answerTo, type Deliver } from '../../answer.js';
import { readBatch, respondToBatch } from '../../legacy/batch.js';
import { LegacyCall } from '../../legacy/call.js';
import type { LegacyServer } from '../../legacy/responder.js';
import type { InFlight } from '../../running-calls.js';
import type { Exchange } from '../exchange.js';
import { accepts } from '../media-types.js';
import { refuse } from '../refusal.js';
import { type EventLog, isFromNotices, Replay } from '../replay.js';
import { attachStream, Reply } from '../reply.js';
import { Notices } from './notices.js';
import type { HttpSession, Sessions } from './sessions.js';

/** The handshake revisions over Streamable HTTP: sessions, streams that can be resumed, batches. */
export interface LegacyHttp {
  post(exchange: Exchange, body: Message | readonly unknown[], caller: Caller | undefined): Awaitable<void>;
  /** Refuses what is no message; a question of the session that it was to answer ends. */
  refuse(exchange: Exchange, malformed: Malformed, caller: Caller | undefined): Awaitable<void>;
  /** Opens a stream for notices, or resumes any stream. */
  get(exchange: Exchange, caller: Caller | undefined): Promise<void>;
  /** Ends the session. */
  delete(exchange: Exchange, caller: Caller | undefined): Promise<void>;
  /** Ends the streams that wait for notices. */
  close(): void;
}

export function createLegacyHttp(
  service: Service,
  legacy: LegacyServer,
  sessions: Sessions,
  options: { heartbeatMs: number; inFlight: InFlight },
): LegacyHttp {
  const { inFlight, heartbeatMs } = options;
  const replay = new Replay();
  const notices = new Notices(service);

  async function initialize(exchange: Exchange, request: Request, caller: Caller | undefined): Promise<void> {
    const { text, handshake } = await legacy.initialize(request, caller);
    if (!handshake) return exchange.respond(200, text);
    try {
      const id = await sessions.mint(handshake, caller);
      exchange.respond(200, text, { [HEADER.sessionId]: id });
    } catch (thrown) {
      const { code, message } = McpError.from(thrown);
      refuse(exchange, 400, message, { code, id: request.id });
    }
  }

  /** The session that a request names; undefined if it was refused. */
  function findSession(
    exchange: Exchange,
    caller: Caller | undefined,
    id?: Request['id'],
  ): Awaitable<HttpSession | undefined> {
    const version = exchange.header(HEADER.protocolVersion);
    if (version !== undefined && !findLegacy(version)) {
      const known = LEGACY.map(revision => revision.name).join(', ');
      refuse(exchange, 400, `unsupported MCP-Protocol-Version ${version}; sessions speak ${known}`, { id });
      return undefined;
    }
    const token = exchange.header(HEADER.sessionId);
    if (token === undefined) {
      refuse(exchange, 400, 'the Mcp-Session-Id header is missing; send initialize first', { id });
      return undefined;
    }
    return andThen(sessions.find(token, caller), session => {
      if (!session) refuse(exchange, 404, 'session not found; send initialize to start a new one', { id });
      return session;
    });
  }

  function openReply(exchange: Exchange, session: HttpSession): Reply {
    return new Reply(exchange, heartbeatMs, () => ({
      log: replay.open(session.serial, 'answer-'),
      prime: primes(session),
    }));
  }

  function respond(
    exchange: Exchange,
    session: HttpSession,
    request: Request,
    caller: Caller | undefined,
  ): void {
    const reply = openReply(exchange, session);
    run(new LegacyCall(request, session, reply, caller), answer => reply.finish(answer, 200));
  }

  function run(call: LegacyCall, deliver: Deliver): void {
    legacy.respond(call, inFlight.watch(call, deliver));
  }

  async function postBatch(
    exchange: Exchange,
    values: readonly unknown[],
    caller: Caller | undefined,
  ): Promise<void> {
    const session = await findSession(exchange, caller);
    if (!session) return;
    const messages: (Message | Malformed)[] | string = session.handshake.revision.batches
      ? readBatch(values)
      : `revision ${session.handshake.revision.name} has no batches`;
    if (typeof messages === 'string') return refuse(exchange, 400, messages);
    const reply = openReply(exchange, session);
    const texts = await respondToBatch(legacy, session, messages, request =>
      answerTo(deliver => run(new LegacyCall(request, session, reply, caller), deliver)),
    );
    if (texts.length > 0) reply.finish({ text: `[${texts.join(',')}]` }, 200);
    else if (messages.some(({ kind }) => kind === 'request')) reply.finish(undefined, 200);
    else exchange.respond(202);
  }

  function attach(
    exchange: Exchange,
    session: HttpSession,
    caller: Caller | undefined,
    { log, after }: { log: EventLog; after: number },
  ): void {
    const hasNotices = isFromNotices(log.id);
    if (hasNotices) notices.add(session, log);
    // Who waits for notices comes back with another token. An answer is for the one that it was asked with.
    const mayGoOn = () => !hasNotices || !hasExpired(caller);
    attachStream(exchange, log, { heartbeatMs, after, prime: primes(session), mayGoOn });
  }

  return {
    post(exchange, body, caller) {
      if (Array.isArray(body)) return postBatch(exchange, body, caller);
      const message = body as Message;
      const isRequest = message.kind === 'request';
      const opens =
        isRequest && message.method === 'initialize' && exchange.header(HEADER.sessionId) === undefined;
      if (opens) return initialize(exchange, message, caller);
      return andThen(findSession(exchange, caller, isRequest ? message.id : undefined), session => {
        if (!session) return;
        if (isRequest) return respond(exchange, session, message, caller);
        legacy.accept(session, message);
        exchange.respond(202);
      });
    },

    refuse(exchange, malformed, caller) {
      const token = malformed.answerTo === undefined ? undefined : exchange.header(HEADER.sessionId);
      const found = token === undefined ? undefined : sessions.find(token, caller);
      return andThen(found, session => {
        const text = session ? session.refuse(malformed) : errorText(malformed.id, malformed.error);
        exchange.respond(400, text);
      });
    },

    async get(exchange, caller) {
      if (!accepts(exchange.header('accept'), 'text/event-stream')) {
        return refuse(exchange, 406, 'a GET opens an event stream: accept text/event-stream');
      }
      const session = await findSession(exchange, caller);
      if (!session) return;
      const lastEventId = exchange.header(HEADER.lastEventId);
      const resumed = lastEventId === undefined ? undefined : replay.find(session.serial, lastEventId);
      // As the standard of event streams says it: do not come back. After an empty stream, clients would, for ever.
      if (resumed?.log.isOver(resumed.after)) return exchange.respond(204);
      if (resumed) return attach(exchange, session, caller, resumed);
      if (lastEventId !== undefined && !isFromNotices(lastEventId)) {
        return refuse(exchange, 400, 'the stream of this Last-Event-ID is no longer kept; open a new one');
      }
      attach(exchange, session, caller, { log: replay.open(session.serial, 'notices-'), after: 0 });
    },

    async delete(exchange, caller) {
      const session = await findSession(exchange, caller);
      if (!session) return;
      sessions.end(session);
      session.close(new Cancelled('the session was ended'));
      notices.end(session);
      exchange.respond(204);
    },

    close() {
      notices.close();
    },
  };
}

/** Whether streams begin with an event that lets the client come back before anything happened. */
function primes(session: HttpSession): boolean {
  return session.handshake.revision.closableStreams;
}
