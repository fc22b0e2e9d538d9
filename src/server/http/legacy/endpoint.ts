import { Cancelled } from '../../../base/errors.js';
import { tellOncePerProcess } from '../../../base/once-per-process.js';
import { type Awaitable, andThen } from '../../../base/settle.js';
import {
  errorText,
  type Malformed,
  type Message,
  type Request,
  type RequestId,
} from '../../../jsonrpc/message.js';
import type { ParsedText } from '../../../jsonrpc/parse.js';
import { type Caller, hasExpired } from '../../../protocol/caller.js';
import { McpError } from '../../../protocol/errors.js';
import { HEADER } from '../../../protocol/headers.js';
import type { Service } from '../../../protocol/service.js';
import type { Revision } from '../../../revisions/index.js';
import type { Ledger } from '../../ledger.js';
import { readBatch } from '../../legacy/batch.js';
import { LegacyResponder } from '../../legacy/responder.js';
import { STREAM_BYTES } from '../../limits.js';
import { ON_DEMAND } from '../../loading.js';
import type { RunningCalls } from '../../running-calls.js';
import type { Seal } from '../../seal/seal.js';
import { forServer } from '../../seal/server-seal.js';
import type { Exchange } from '../exchange.js';
import { accepts } from '../media-types.js';
import { refuse, refuseFor } from '../refusal.js';
import { type EventLog, isFromNotices, Replay } from '../replay.js';
import { Reply } from '../reply.js';
import { attachStream } from './attach-stream.js';
import { ENDED_SESSIONS } from './ended-sessions.js';
import { HttpSse, type HttpSseOptions } from './http-sse.js';
import { lossNotice } from './loss-notice.js';
import { Notices } from './notices.js';
import { sessionHeaderProblem, versionHeaderProblem } from './session-headers.js';
import { type HttpSession, Sessions } from './sessions.js';

export interface LegacyHttpOptions {
  ledger: Ledger;
  heartbeatMs: number;
  /** Set if the HTTP+SSE transport is served as well. */
  sse: HttpSseOptions | undefined;
  /** Whether other processes may accept the sessions, too. */
  hasKeys: boolean;
  /** The revisions that are served. */
  revisions: readonly Revision[];
}

const ENDED_HERE =
  'a client ended its session, and only this process knows it: other processes with the same keys accept the session ' +
  'until it expires. If there are several, route each Mcp-Session-Id to one of them.';

const LOST =
  'a client came back to a stream whose oldest events were no longer kept, so it missed some. docs/limits.md says how ' +
  'many are kept; send fewer log messages, or smaller ones, if clients should miss none.';

/** The handshake revisions over HTTP: sessions, streams that can be resumed, batches, and the HTTP+SSE transport. */
export class LegacyHttp {
  readonly #legacy: LegacyResponder;
  readonly #sessions: Sessions;
  readonly #heartbeatMs: number;
  readonly #replay: Replay;
  readonly #notices: Notices;
  readonly #sse: HttpSse | undefined;
  readonly #service: Service;
  readonly #hasKeys: boolean;
  #hasWarned = false;

  constructor(service: Service, running: RunningCalls, seal: Seal, options: LegacyHttpOptions) {
    const { ledger, heartbeatMs, sse, hasKeys, revisions } = options;
    this.#service = service;
    this.#hasKeys = hasKeys;
    this.#legacy = new LegacyResponder(service, running, ON_DEMAND, revisions);
    const own = forServer(seal, service);
    this.#sessions = new Sessions(own, running, ledger, service, revisions, ENDED_SESSIONS);
    this.#replay = new Replay(ledger);
    this.#heartbeatMs = heartbeatMs;
    this.#notices = new Notices(service);
    this.#sse = sse && new HttpSse(service, ledger, sse);
  }

  post(exchange: Exchange, message: Message, caller: Caller | undefined): Awaitable<void> {
    const isRequest = message.kind === 'request';
    const opens =
      isRequest && message.method === 'initialize' && exchange.header(HEADER.sessionId) === undefined;
    if (opens) {
      const problem = versionHeaderProblem(exchange);
      if (problem) return refuse(exchange, 400, problem.message, { ...problem, id: message.id });
      return this.#initialize(exchange, message, caller);
    }
    return andThen(this.#findSession(exchange, caller, isRequest ? message.id : undefined), session => {
      if (!session) return;
      if (isRequest) return this.#respond(exchange, session, message, caller);
      const problem = this.#legacy.accept(session, message, caller);
      if (!session.isNew) this.#sessions.initialized(session);
      if (problem === undefined) return exchange.respond(202);
      if (typeof problem !== 'string') return refuseFor(exchange, problem);
      if (message.kind === 'response') this.#warnOfOthers();
      refuse(exchange, 400, problem);
    });
  }

  async postBatch(
    exchange: Exchange,
    values: readonly unknown[],
    parsed: ParsedText,
    caller: Caller | undefined,
  ): Promise<void> {
    const session = await this.#findSession(exchange, caller);
    if (!session) return;
    const messages = readBatch(session.handshake.revision, values, parsed);
    if (typeof messages === 'string') return refuse(exchange, 400, messages);
    const reply = this.#openReply(exchange, session);
    const problems: string[] = [];
    const refused = (problem: string) => problems.push(problem);
    const texts = await this.#legacy.respondToBatch(messages, parsed.weight, session, reply, caller, refused);
    if (!session.isNew) this.#sessions.initialized(session);
    if (problems.length > 0 && messages.some(({ kind }) => kind === 'response')) this.#warnOfOthers();
    if (texts.length > 0) reply.finish({ text: `[${texts.join(',')}]` }, 200);
    else if (messages.some(({ kind }) => kind === 'request')) reply.finish(undefined, 200);
    else if (problems.length > 0) refuse(exchange, 400, problems.join('; '));
    else exchange.respond(202);
  }

  /** Refuses a malformed message. If it was an answer to a question of the session, the question ends. */
  postMalformed(exchange: Exchange, malformed: Malformed, caller: Caller | undefined): Awaitable<void> {
    const token = malformed.answerTo === undefined ? undefined : exchange.header(HEADER.sessionId);
    const { address } = exchange.account;
    const found = token === undefined ? undefined : this.#sessions.find(token, caller, address);
    return andThen(found, session => {
      const id = session ? session.takeMalformed(malformed) : malformed.id;
      exchange.respond(400, errorText(id, malformed.error));
    });
  }

  /** Opens a stream for notifications, or resumes any stream. */
  async get(exchange: Exchange, caller: Caller | undefined): Promise<void> {
    if (!accepts(exchange.header('accept'), 'text/event-stream')) {
      return refuse(exchange, 406, 'a GET opens an event stream: accept text/event-stream');
    }
    const session = await this.#findSession(exchange, caller);
    if (!session) return;
    const refusal = exchange.account.refusal(STREAM_BYTES);
    if (refusal) return refuseFor(exchange, refusal);
    const lastEventId = exchange.header(HEADER.lastEventId);
    const resumed = lastEventId === undefined ? undefined : this.#replay.find(session.serial, lastEventId);
    // For event streams 204 means: do not reconnect. After an empty stream clients would reconnect for ever.
    if (resumed?.log.isOver(resumed.after)) return exchange.respond(204);
    if (resumed) return this.#attach(exchange, session, caller, resumed);
    if (lastEventId !== undefined && !isFromNotices(lastEventId)) {
      this.#warnOfOthers();
      return refuse(exchange, 400, 'the stream of this Last-Event-ID is no longer kept; open a new one');
    }
    const log = this.#replay.open(session.serial, 'notices-', session.account);
    this.#attach(exchange, session, caller, { log, after: 0 });
  }

  /** Ends the session. */
  async delete(exchange: Exchange, caller: Caller | undefined): Promise<void> {
    const session = await this.#findSession(exchange, caller);
    if (!session) return;
    this.#sessions.end(session);
    if (this.#hasKeys) tellOncePerProcess(ENDED_HERE, text => this.#service.warn(text, 'sessions'));
    session.close(new Cancelled('the session was ended'));
    this.#notices.end(session);
    exchange.respond(204);
  }

  /** Serves a request for one of the paths of HTTP+SSE. */
  handleSse(exchange: Exchange, caller: Caller | undefined): void {
    this.#sse?.handle(exchange, caller);
  }

  /** Ends the streams that wait for notifications. Calls over HTTP+SSE may go on for `graceMs`. */
  async close(graceMs: number): Promise<void> {
    this.#notices.close();
    await this.#sse?.close(graceMs);
  }

  async #initialize(exchange: Exchange, request: Request, caller: Caller | undefined): Promise<void> {
    const refusal = exchange.account.refusal(request.weight);
    if (refusal) return refuseFor(exchange, refusal, request.id);
    const { answer, handshake } = await this.#legacy.initialize(request, caller, exchange.account);
    if (!answer) return refuse(exchange, 503, 'the server is shutting down', { id: request.id });
    if (!handshake) return exchange.respond(200, answer.text);
    try {
      const id = await this.#sessions.mint(handshake, caller);
      exchange.respond(200, answer.text, { [HEADER.sessionId]: id });
    } catch (thrown) {
      const { code, message } = McpError.from(thrown);
      refuse(exchange, 400, message, { code, id: request.id });
    }
  }

  /** Questions and streams belong to the process that opened them. An operator has to know if clients go elsewhere. */
  #warnOfOthers(): void {
    if (this.#hasWarned) return;
    this.#hasWarned = true;
    const problem =
      'a client answered a question, or came back to a stream, that this process does not know; it may have been ' +
      'of an earlier process. If several processes serve the same clients, route each Mcp-Session-Id to one of them.';
    this.#service.warn(problem, 'sessions');
  }

  /** The session that a request names; undefined if the request was refused here. */
  #findSession(
    exchange: Exchange,
    caller: Caller | undefined,
    id?: RequestId,
  ): Awaitable<HttpSession | undefined> {
    const problem = sessionHeaderProblem(exchange);
    if (problem) {
      refuse(exchange, 400, problem.message, { ...problem, id });
      return undefined;
    }
    const token = exchange.header(HEADER.sessionId) as string;
    return andThen(this.#sessions.find(token, caller, exchange.account.address), session => {
      if (!session) refuse(exchange, 404, 'session not found; send initialize to start a new one', { id });
      return session;
    });
  }

  #respond(exchange: Exchange, session: HttpSession, request: Request, caller: Caller | undefined): void {
    const refusal = session.account.refusal(request.weight);
    if (refusal) return refuseFor(exchange, refusal, request.id);
    const reply = this.#openReply(exchange, session);
    this.#legacy.respond(request, session, reply, caller, answer => reply.finish(answer, 200));
  }

  #openReply(exchange: Exchange, session: HttpSession): Reply {
    const heartbeatMs = this.#heartbeatMs;
    return new Reply(exchange, { heartbeatMs, rates: this.#service.noticeRates }, () => {
      const log = this.#replay.open(session.serial, 'answer-', session.account);
      return { log, sink: attachStream(exchange, log, { heartbeatMs, after: 0, prime: primes(session) }) };
    });
  }

  #attach(
    exchange: Exchange,
    session: HttpSession,
    caller: Caller | undefined,
    { log, after }: { log: EventLog; after: number },
  ): void {
    const hasNotices = isFromNotices(log.id);
    if (hasNotices) {
      session.listener = caller;
      this.#notices.add(session, log);
    }
    // A client waiting for notifications reconnects with a new token. A response belongs to the token of its request.
    const mayGoOn = () => !hasNotices || !hasExpired(caller);
    const lost = log.countLost(after);
    if (lost > 0) tellOncePerProcess(LOST, text => this.#service.warn(text, 'streams'));
    attachStream(exchange, log, {
      heartbeatMs: this.#heartbeatMs,
      after,
      prime: primes(session),
      notice: lost > 0 ? lossNotice(session, lost) : undefined,
      isIdle: hasNotices,
      mayGoOn,
    });
  }
}

/** Whether streams begin with an event that lets the client reconnect before the first message. */
function primes(session: HttpSession): boolean {
  return session.handshake.revision.closableStreams;
}
