import { Cancelled } from '../../../base/errors.js';
import { type Awaitable, andThen } from '../../../base/settle.js';
import {
  errorText,
  type Malformed,
  type Message,
  type Request,
  type RequestId,
} from '../../../jsonrpc/message.js';
import type { ParsedText } from '../../../jsonrpc/parse.js';
import type { Caller } from '../../../protocol/caller.js';
import { McpError } from '../../../protocol/errors.js';
import { HEADER } from '../../../protocol/headers.js';
import type { Service } from '../../../protocol/service.js';
import type { Revision } from '../../../revisions/index.js';
import { type AnswerText, answerError } from '../../answer.js';
import type { Ledger } from '../../ledger.js';
import { LegacyResponder } from '../../legacy/responder.js';
import { SESSION_METHODS } from '../../legacy/session-methods.js';
import { STREAM_BYTES } from '../../limits.js';
import { ON_DEMAND } from '../../loading.js';
import type { WarnLocal } from '../../local-only.js';
import type { Elsewhere } from '../../nodes/elsewhere.js';
import type { Membership } from '../../nodes/join.js';
import type { RunningCalls } from '../../running-calls.js';
import type { Seal } from '../../seal/seal.js';
import { forServer } from '../../seal/server-seal.js';
import type { Exchange } from '../exchange.js';
import { accepts } from '../media-types.js';
import { type RefusalError, refuse, refuseFor } from '../refusal.js';
import { ENDED_SESSIONS, EndedSessions } from './ended-sessions.js';
import { HttpSse, type HttpSseOptions } from './http-sse.js';
import { sessionHeaderProblem, versionHeaderProblem } from './session-headers.js';
import { type HttpSession, Sessions } from './sessions.js';
import { Streams } from './streams.js';

export interface LegacyHttpOptions {
  ledger: Ledger;
  heartbeatMs: number;
  /** Set if the HTTP+SSE transport is served as well. */
  sse: HttpSseOptions | undefined;
  warnLocal: WarnLocal;
  /** The revisions that are served. */
  revisions: readonly Revision[];
  /** Set in a cluster. */
  membership: Membership | undefined;
}

/** The handshake revisions over HTTP: sessions, streams that can be resumed, batches, and the HTTP+SSE transport. */
export class LegacyHttp {
  readonly #legacy: LegacyResponder;
  readonly #sessions: Sessions;
  readonly #streams: Streams;
  readonly #sse: HttpSse | undefined;
  readonly #service: Service;
  readonly #warnLocal: WarnLocal;
  /** The revisions that are served. */
  readonly #revisions: readonly Revision[];
  /** Set in a cluster. */
  readonly #elsewhere: Elsewhere | undefined;

  constructor(service: Service, running: RunningCalls, seal: Seal, options: LegacyHttpOptions) {
    const { ledger, sse, warnLocal, revisions, membership } = options;
    this.#service = service;
    this.#warnLocal = warnLocal;
    this.#revisions = revisions;
    this.#legacy = new LegacyResponder(service, running, ON_DEMAND, revisions);
    const own = forServer(seal, service);
    const known = (serial: string) => this.#sessions.known(serial);
    this.#streams = new Streams(service, options, known);
    this.#elsewhere = membership?.share({
      known,
      ended: session => this.#end(session),
      initialized: serial => this.#initialized(serial),
      streams: this.#streams,
    });
    if (this.#elsewhere) this.#streams.share(this.#elsewhere);
    // In a cluster the other doors of this process hear of it as other nodes do.
    const ended = this.#elsewhere ? new EndedSessions() : ENDED_SESSIONS;
    this.#sessions = new Sessions(own, running, ledger, service, revisions, ended, this.#elsewhere);
    this.#sse = sse && new HttpSse(service, ledger, sse);
  }

  post(exchange: Exchange, message: Message, caller: Caller | undefined): Awaitable<void> {
    const isRequest = message.kind === 'request';
    const opens =
      isRequest && message.method === 'initialize' && exchange.header(HEADER.sessionId) === undefined;
    if (opens) {
      const problem = versionHeaderProblem(exchange, this.#revisions);
      if (problem) return refuse(exchange, 400, problem.message, { ...problem, id: message.id });
      return this.#initialize(exchange, message, caller);
    }
    return andThen(this.#findSession(exchange, caller, isRequest ? message.id : undefined), session => {
      if (!session) return;
      if (isRequest) return this.#respond(exchange, session, message, caller);
      const forwarded = this.#elsewhere?.forward(session, message);
      if (forwarded) return forwarded.then(problem => conclude(exchange, problem));
      const problem = this.#legacy.accept(session, message, caller);
      const beganHere = !session.isNew && this.#sessions.initialized(session);
      const isInitialized = message.kind === 'notification' && message.method === 'notifications/initialized';
      if (this.#elsewhere && isInitialized && !beganHere)
        return this.#tellInitialized(exchange, session, this.#elsewhere);
      if (typeof problem === 'string' && message.kind === 'response') this.#warnLocal('others');
      conclude(exchange, problem);
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
    const { readBatch } = await ON_DEMAND.get();
    const messages = readBatch(session.handshake.revision, values, parsed);
    if (typeof messages === 'string') return refuse(exchange, 400, messages);
    const reply = this.#streams.openReply(exchange, session);
    const problems: string[] = [];
    const refused = (problem: string) => problems.push(problem);
    const own = await this.#forwardFrom(messages, session, refused);
    const texts = await this.#legacy.respondToBatch(own, parsed.weight, session, reply, caller, refused);
    if (!session.isNew) this.#sessions.initialized(session);
    await this.#saveAfterBatch(session);
    if (problems.length > 0 && messages.some(({ kind }) => kind === 'response')) this.#warnLocal('others');
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
      void (session && this.#elsewhere?.forward(session, malformed));
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
    if (lastEventId === undefined) {
      this.#warnLocal('changes');
      return this.#streams.open(exchange, session, caller);
    }
    if (await this.#streams.resume(exchange, session, caller, lastEventId)) return;
    this.#warnLocal('others');
    refuse(exchange, 400, 'the stream of this Last-Event-ID is no longer kept; open a new one');
  }

  /** Ends the session. */
  async delete(exchange: Exchange, caller: Caller | undefined): Promise<void> {
    const session = await this.#findSession(exchange, caller);
    if (!session) return;
    try {
      await this.#elsewhere?.sessions.end(session);
    } catch (away) {
      return refuseFor(exchange, away as RefusalError);
    }
    this.#warnLocal('ended');
    this.#end(session);
    exchange.respond(204);
  }

  /** Serves a request for one of the paths of HTTP+SSE. */
  handleSse(exchange: Exchange, caller: Caller | undefined): void {
    this.#sse?.handle(exchange, caller);
  }

  /** Ends the streams that wait for notifications. Calls over HTTP+SSE may go on for `graceMs`. */
  async close(graceMs: number): Promise<void> {
    this.#streams.close();
    await this.#sse?.close(graceMs);
  }

  /** Leaves the cluster, when all calls have ended. */
  async handOver(): Promise<void> {
    await this.#streams.handOver();
    this.#elsewhere?.close();
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

  #end(ended: { serial: string; issuedAt: number }): void {
    const session = this.#sessions.known(ended.serial);
    this.#sessions.end(ended);
    session?.close(new Cancelled('the session was ended'));
    if (session) this.#streams.end(session);
  }

  #initialized(serial: string): void {
    this.#sessions.initialized({ serial });
    this.#sessions.known(serial)?.initialized();
  }

  async #tellInitialized(exchange: Exchange, session: HttpSession, elsewhere: Elsewhere): Promise<void> {
    conclude(exchange, await elsewhere.sessions.tellInitialized(session).catch(away => away));
  }

  /** Passes on the messages of a batch that belong to other nodes, and returns the rest. */
  async #forwardFrom(
    messages: readonly (Message | Malformed)[],
    session: HttpSession,
    refused: (problem: string) => void,
  ): Promise<readonly (Message | Malformed)[]> {
    const isOwn = await Promise.all(
      messages.map(async message => {
        const forwarded = message.kind === 'request' ? undefined : this.#elsewhere?.forward(session, message);
        const problem = await forwarded;
        if (problem !== undefined) refused(typeof problem === 'string' ? problem : problem.message);
        return !forwarded;
      }),
    );
    return messages.filter((_, at) => isOwn[at]);
  }

  /** The session that a request names; undefined if the request was refused here. */
  #findSession(
    exchange: Exchange,
    caller: Caller | undefined,
    id?: RequestId,
  ): Awaitable<HttpSession | undefined> {
    const problem = sessionHeaderProblem(exchange, this.#revisions);
    if (problem) {
      refuse(exchange, 400, problem.message, { ...problem, id });
      return undefined;
    }
    const answer = (session: HttpSession | undefined) => {
      if (!session) refuse(exchange, 404, 'session not found; send initialize to start a new one', { id });
      return session;
    };
    const token = exchange.header(HEADER.sessionId) as string;
    const found = this.#sessions.find(token, caller, exchange.account.address);
    if (!this.#elsewhere || !(found instanceof Promise)) return andThen(found, answer);
    return found.then(answer, thrown => {
      if (!(thrown instanceof McpError && 'status' in thrown)) throw thrown;
      refuseFor(exchange, thrown as RefusalError, id);
      return undefined;
    });
  }

  #respond(exchange: Exchange, session: HttpSession, request: Request, caller: Caller | undefined): void {
    const refusal = session.account.refusal(request.weight);
    if (refusal) return refuseFor(exchange, refusal, request.id);
    const reply = this.#streams.openReply(exchange, session);
    this.#legacy.respond(request, session, reply, caller, answer => {
      if (session.holdsState) this.#warnLocal('state');
      const saved = this.#elsewhere?.sessions.save(session);
      if (!saved) return reply.finish(answer, 200);
      const fail = (thrown: unknown) => this.#unsaved(request, session, thrown) ?? answer;
      saved.then(() => answer, fail).then(final => reply.finish(final, 200));
    });
  }

  async #saveAfterBatch(session: HttpSession): Promise<void> {
    try {
      await this.#elsewhere?.sessions.save(session);
    } catch (thrown) {
      this.#service.report(thrown, 'the state of a session');
    }
  }

  /** The answer to a request whose change of the session could not be saved; undefined if it has done more than that. */
  #unsaved(request: Request, session: HttpSession, thrown: unknown): AnswerText | undefined {
    if (SESSION_METHODS.has(request.method))
      return answerError(session.handshake.revision, request.id, McpError.from(thrown));
    this.#service.report(thrown, 'the state of a session');
    return undefined;
  }
}

/** Answers a message that needs no response; `problem` is the reason if it was not taken. */
function conclude(exchange: Exchange, problem: string | RefusalError | undefined): void {
  if (problem === undefined) exchange.respond(202);
  else if (typeof problem === 'string') refuse(exchange, 400, problem);
  else refuseFor(exchange, problem);
}
