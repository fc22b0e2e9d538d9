import { clip } from '../../base/clip.js';
import { Cancelled, UsageError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json.js';
import type { OnDemand } from '../../base/on-demand.js';
import type { Peer } from '../../jsonrpc/peer.js';
import { answerProblem } from '../../protocol/answer-problem.js';
import type { AskOptions } from '../../protocol/call.js';
import type { ClientCapability } from '../../protocol/capabilities.js';
import { invalidAnswer, missingCapability } from '../../protocol/errors.js';
import { ConnectionError } from '../../protocol/failures.js';
import type { ElicitUrlParams, InputRequest, InputResponse, InputResponseTo } from '../../protocol/input.js';
import type { LogLevel } from '../../protocol/logging.js';
import type { NotificationSender, SessionService } from '../../protocol/service.js';
import { holdWhile } from '../charge.js';
import type { Account } from '../ledger.js';
import { ANSWER_TIMEOUT_MS, PING_TIMEOUT_MS, QUESTION_BYTES } from '../limits.js';
import type { Handshake } from './handshake.js';
import type { LegacyPart } from './part.js';

/** The way to a client outside of its requests: a stream that it opened by GET, or its connection. */
export interface OutsideChannel {
  send(text: string): void;
  /** Whether so much output waits for the client that logs are left out. */
  readonly isFull?: boolean;
  readonly isClosed?: boolean;
  /** Whether the client listens at another node; undefined if it listens here. */
  isThere?(): Promise<boolean>;
}

/** The parts of a session that are needed to reach its client. */
export interface ReachableSession {
  readonly part: OnDemand<LegacyPart>;
  readonly handshake: Handshake;
  readonly peer: Peer;
  readonly logLevel: LogLevel | undefined;
  readonly account: Account;
  readonly service: SessionService;
  readonly peerDescription: NotificationSender;
  /** Undefined while the client has opened none. */
  openOutside(): OutsideChannel | undefined;
  whenInitialized(): Promise<void>;
  sentToPage(elicitationId: string): void;
}

/** Asks the client of a session outside of a request. */
export async function askOutside<R extends InputRequest>(
  session: ReachableSession,
  request: R,
  options: AskOptions = {},
): Promise<InputResponseTo<R['method']>> {
  const answer = await throughMiddleware(session, request, question =>
    askDirectly(session, question, options),
  );
  return answer as InputResponseTo<R['method']>;
}

async function throughMiddleware(
  session: ReachableSession,
  question: InputRequest,
  ask: (question: InputRequest) => Promise<InputResponse>,
): Promise<InputResponse> {
  const { questionLayers } = session.service;
  if (questionLayers.length === 0) return ask(question);
  const { runQuestion } = await session.part.get();
  return runQuestion(questionLayers, { ...session.peerDescription, question }, ask);
}

async function askDirectly<R extends InputRequest>(
  session: ReachableSession,
  request: R,
  options: AskOptions,
): Promise<InputResponseTo<R['method']>> {
  const { questionProblem, encodeQuestion, contentProblem } = await session.part.get();
  const malformed = questionProblem(request);
  if (malformed) throw new UsageError(`the question is malformed: ${malformed}`);
  const { method, params } = encodeQuestion(session.handshake.agreement, request);
  await session.whenInitialized();
  const { elicitationId } = (params ?? {}) as Partial<ElicitUrlParams>;
  if (elicitationId !== undefined) session.sentToPage(elicitationId);
  const timeoutMs = options.timeoutMs ?? ANSWER_TIMEOUT_MS;
  const result = await send(session, method, params as JsonObject, { ...options, timeoutMs });
  const answer = result as unknown as InputResponse;
  const problem = answerProblem(request.method, answer) ?? (await contentProblem(request, answer));
  if (problem) throw invalidAnswer(problem);
  return answer as InputResponseTo<R['method']>;
}

/** Sends a request of an extension to the client of a session. For middleware it is a question. */
export async function requestOutside(
  session: ReachableSession,
  method: string,
  params: JsonObject,
  options: AskOptions = {},
): Promise<JsonObject> {
  // Extensions bring methods that the type of questions does not have.
  const question = { method, params } as unknown as InputRequest;
  const answer = await throughMiddleware(session, question, async asked => {
    const { method: own, params: content = {} } = asked as unknown as { method: string; params?: JsonObject };
    return (await requestDirectly(session, own, content, options)) as unknown as InputResponse;
  });
  return answer as unknown as JsonObject;
}

async function requestDirectly(
  session: ReachableSession,
  method: string,
  params: JsonObject,
  options: AskOptions,
): Promise<JsonObject> {
  const { agreement } = session.handshake;
  if (!agreement.claims?.messages.has(method))
    throw new UsageError(
      `"${clip(method)}" is no request of an extension of this server: name it in \`asks\``,
    );
  const missing = agreement.whyNot('server', method)?.missing;
  if (missing) throw missingCapability(method, missing.capability as ClientCapability);
  await session.whenInitialized();
  return send(session, method, params, { ...options, timeoutMs: options.timeoutMs ?? ANSWER_TIMEOUT_MS });
}

/** Checks outside of a request that the client of a session is still connected. */
export async function pingOutside(session: ReachableSession, options: AskOptions = {}): Promise<void> {
  await send(session, 'ping', undefined, { ...options, timeoutMs: options.timeoutMs ?? PING_TIMEOUT_MS });
}

async function send(
  session: ReachableSession,
  method: string,
  params: JsonObject | undefined,
  options: AskOptions & { timeoutMs: number },
): Promise<JsonObject> {
  const channel = session.openOutside();
  if (!channel || (await channel.isThere?.()) === false) {
    throw new ConnectionError(
      `${method} cannot be sent outside of a request: the client has no open GET stream`,
      { hadNoEffect: true },
    );
  }
  if (channel.isClosed) throw new Cancelled(`${method} came too late: the connection is closed`);
  const { account } = session;
  const refusal = account.refusal(QUESTION_BYTES);
  if (refusal) throw refusal;
  const asking = session.peer.request(method, params, text => channel.send(text), options);
  holdWhile(account, QUESTION_BYTES, asking);
  return asking;
}
