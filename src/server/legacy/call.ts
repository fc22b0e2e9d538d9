import { Cancelled } from '../../base/errors.js';
import { isObject, type JsonObject } from '../../base/json.js';
import type { OnDemand } from '../../base/on-demand.js';
import type { Awaitable } from '../../base/settle.js';
import type { Request, RequestId } from '../../jsonrpc/message.js';
import type { Asking } from '../../protocol/asking.js';
import type { AskOptions, Call, ClientDescription } from '../../protocol/call.js';
import type { Caller } from '../../protocol/caller.js';
import type { McpError } from '../../protocol/errors.js';
import type { ElicitUrlParams, InputRequest, InputResponse } from '../../protocol/input.js';
import type { LogLevel } from '../../protocol/logging.js';
import { encodeNotification } from '../../revisions/encode.js';
import { answerError } from '../answer.js';
import type { Channel } from '../channel.js';
import { type Evictable, NoRoom } from '../ledger.js';
import { ANSWER_TIMEOUT_MS, PING_TIMEOUT_MS, QUESTION_BYTES } from '../limits.js';
import type { RunningCall } from '../running-calls.js';
import type { Memory } from './memory.js';
import type { LegacyPart } from './part.js';
import type { LegacySession } from './session.js';

/** A call that belongs to a session: it can ask the client directly, over the channel of the request. */
export class LegacyCall implements Call {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  readonly session: LegacySession;
  readonly caller: Caller | undefined;
  readonly running: RunningCall;
  readonly #channel: Channel;
  #answers: { responses: ReadonlyMap<string, InputResponse>; state: string | undefined } | undefined;
  /** Created by the first question or step: most handlers have none. */
  #memory: Memory | undefined;

  constructor(
    request: Pick<Request, 'id' | 'method' | 'params'>,
    session: LegacySession,
    channel: Channel,
    caller: Caller | undefined,
    running: RunningCall,
  ) {
    this.id = request.id;
    this.method = request.method;
    this.params = request.params;
    this.session = session;
    this.caller = caller;
    this.running = running;
    this.#channel = channel;
  }

  get meta(): JsonObject {
    return isObject(this.params._meta) ? this.params._meta : {};
  }

  get revision(): string {
    return this.session.handshake.revision.name;
  }

  get client(): ClientDescription {
    return this.session.handshake.client;
  }

  get isStateless(): boolean {
    return false;
  }

  get inputResponses(): ReadonlyMap<string, InputResponse> | undefined {
    return this.#answers?.responses;
  }

  get requestState(): string | undefined {
    return this.#answers?.state;
  }

  get signal(): AbortSignal {
    return this.running.cancellation.signal;
  }

  get logLevel(): LogLevel {
    return this.session.logLevel ?? 'info';
  }

  notify(method: string, params: JsonObject): void {
    if (this.running.cancellation.aborted) return;
    const encoded = encodeNotification(this.session.handshake.agreement, method, params);
    if (encoded) this.#channel.notify(method, encoded);
  }

  get asking(): OnDemand<Asking> {
    return this.session.part;
  }

  objectionTo(request: InputRequest): McpError | undefined {
    // Only the code that is loaded on demand asks.
    const { objectionTo } = this.session.part.loaded as LegacyPart;
    return objectionTo(this.session.handshake.agreement, request);
  }

  async ask(request: InputRequest, options?: AskOptions): Promise<InputResponse> {
    const { canonicalText } = await this.session.part.get();
    return this.#recall().once(`ask ${canonicalText(request)}`, () => this.askAgain(request, options));
  }

  /** Asks a question, even if it was asked before. */
  async askAgain(request: InputRequest, options: AskOptions = {}): Promise<InputResponse> {
    await this.session.whenInitialized(this.signal);
    const { encodeQuestion } = await this.session.part.get();
    const question = encodeQuestion(this.session.handshake.agreement, request);
    const { elicitationId } = (question.params ?? {}) as Partial<ElicitUrlParams>;
    if (elicitationId !== undefined) this.session.sentToPage(elicitationId);
    const answer = await this.#request(question.method, question.params as JsonObject | undefined, {
      ...options,
      timeoutMs: options.timeoutMs ?? ANSWER_TIMEOUT_MS,
    });
    return answer as unknown as InputResponse;
  }

  async step<T>(name: string, run: () => Awaitable<T>): Promise<T> {
    const { toStepResult } = await this.session.part.get();
    return this.#recall().once(`step ${name}`, async () => toStepResult(name, await run()));
  }

  async once(): Promise<void> {
    // A request of these revisions has one round; if the client sends it again, it is a new request.
  }

  async redeem(): Promise<void> {}

  /** The same request again, with the answers to the questions that its handler asked by hand. */
  again(responses: ReadonlyMap<string, InputResponse>, state: string | undefined): LegacyCall {
    const again = new LegacyCall(this, this.session, this.#channel, this.caller, this.running);
    again.#answers = { responses, state };
    again.#memory = this.#createMemory(this.#recall());
    return again;
  }

  async ping(options: AskOptions = {}): Promise<void> {
    await this.session.part.get();
    await this.#request('ping', undefined, { ...options, timeoutMs: options.timeoutMs ?? PING_TIMEOUT_MS });
  }

  closeStream(): void {
    if (this.session.handshake.revision.closableStreams) this.#channel.close?.();
  }

  warn(message: string, where: string): void {
    this.session.service.warn(message, where);
  }

  /** Only the code that is loaded on demand has memories. */
  #recall(): Memory {
    this.#memory ??= this.#createMemory();
    return this.#memory;
  }

  #createMemory(earlier?: Memory): Memory {
    const { Memory } = this.session.part.loaded as LegacyPart;
    return new Memory(earlier);
  }

  #request(method: string, params: JsonObject | undefined, options: AskOptions & { timeoutMs: number }) {
    // Nothing may be sent about a request after its response, so the question would never be answered.
    if (this.running.isOver || this.#channel.isClosed) {
      throw new Cancelled(`${method} came too late: the request is over`);
    }
    const channel = this.#channel;
    const refusal = this.running.account.refusal(QUESTION_BYTES);
    if (refusal) throw refusal;
    const isAbandoned = () => channel.isAbandoned ?? false;
    const asking = this.session.peer.request(method, params, text => channel.send(text), {
      ...options,
      signal: this.signal,
      isAbandoned,
      // The handler has the answer, and the memory of the call keeps a copy.
      admit: weight => this.running.grow(weight * 2),
    });
    return this.#whileEvictable(asking);
  }

  /** A call that waits for its client ends when memory is full and it has waited longest. */
  #whileEvictable<T>(asking: Promise<T>): Promise<T> {
    const { account } = this.running;
    const { ledger } = account;
    const waiting: Evictable = {
      wasUsed: false,
      evict: () => {
        const error = new NoRoom(503);
        this.running.evict(error, answerError(this.session.handshake.revision, this.id, error));
        return true;
      },
    };
    account.add(QUESTION_BYTES);
    ledger.evictable.add(waiting);
    const end = () => {
      account.remove(QUESTION_BYTES);
      ledger.evictable.delete(waiting);
    };
    asking.then(end, end);
    return asking;
  }
}
