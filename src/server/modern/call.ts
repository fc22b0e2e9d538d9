import type { JsonObject } from '../../base/json.js';
import type { OnDemand } from '../../base/on-demand.js';
import type { Awaitable } from '../../base/settle.js';
import type { Request, RequestId } from '../../jsonrpc/message.js';
import type { Asking } from '../../protocol/asking.js';
import type { Call, ClientDescription } from '../../protocol/call.js';
import type { Caller } from '../../protocol/caller.js';
import type { McpError } from '../../protocol/errors.js';
import type { InputRequest, InputResponse } from '../../protocol/input.js';
import type { LogLevel } from '../../protocol/logging.js';
import type { RequestMeta } from '../../protocol/request-meta.js';
import { ROUND_METHODS } from '../../protocol/round.js';
import type { Agreement } from '../../revisions/agreement.js';
import { encodeNotification } from '../../revisions/encode.js';
import type { Channel } from '../channel.js';
import type { Round } from '../rounds/round.js';
import type { RunningCall } from '../running-calls.js';
import type { AnswersByHand } from './by-hand.js';
import type { ModernPart } from './part.js';
import { FIRST_ROUND, type RoundState } from './round-state.js';

/** The way in which a call continues in the next round. */
export interface RoundKeeper {
  /** The code that is loaded on demand. */
  readonly part: OnDemand<ModernPart>;
  /** Sends the open questions of a round, or the problem if there is one. */
  ended(call: ModernCall, questions: Record<string, InputRequest>, problem: McpError | undefined): void;
  /** Uses up the state that a round began with. */
  redeem(state: RoundState): Promise<void>;
  /** Lets the request pass a `ctx.once()`, unless another round has passed the one of the same number. */
  pass(state: RoundState, number: number): Promise<void>;
  warn(message: string, where: string): void;
}

/** A call that stands alone: everything that it needs came with the request. */
export class ModernCall implements Call {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  readonly caller: Caller | undefined;
  readonly session = undefined;
  readonly running: RunningCall;
  readonly channel: Channel;
  /** The revision of the request, and what the two sides declared. */
  readonly agreement: Agreement;
  readonly #envelope: RequestMeta;
  readonly #keeper: RoundKeeper;
  /** The state that the round began with. */
  #start: RoundState = FIRST_ROUND;
  /** The answers that came with the request. */
  #responses: ReadonlyMap<string, InputResponse> | undefined;
  #byHand: AnswersByHand | undefined;
  #redeemed: Promise<void> | undefined;
  /** Created by the first question or step: most handlers have none. */
  #round: Round | undefined;
  /** Resolves when the code of rounds is loaded, if a step had to wait for that. */
  #loading: Promise<ModernPart> | undefined;

  constructor(
    request: Request,
    envelope: RequestMeta,
    agreement: Agreement,
    channel: Channel,
    caller: Caller | undefined,
    running: RunningCall,
    keeper: RoundKeeper,
  ) {
    this.id = request.id;
    this.method = request.method;
    this.params = request.params;
    this.caller = caller;
    this.running = running;
    this.#envelope = envelope;
    this.agreement = agreement;
    this.channel = channel;
    this.#keeper = keeper;
  }

  get meta(): JsonObject {
    return this.params._meta as JsonObject;
  }

  get revision(): string {
    return this.agreement.revision.name;
  }

  get client(): ClientDescription {
    return { info: this.#envelope.clientInfo, capabilities: this.#envelope.clientCapabilities };
  }

  get isStateless(): boolean {
    return true;
  }

  get signal(): AbortSignal {
    return this.running.cancellation.signal;
  }

  get logLevel(): LogLevel | undefined {
    return this.#envelope.logLevel;
  }

  notify(method: string, params: JsonObject): void {
    if (this.running.cancellation.aborted) return;
    const encoded = encodeNotification(this.agreement, method, params);
    if (encoded) this.channel.notify(method, encoded);
  }

  get inputResponses(): ReadonlyMap<string, InputResponse> | undefined {
    return this.#byHand?.copy;
  }

  /** All answers so far to questions asked by hand, as they came. */
  get answersByHand(): ReadonlyMap<string, InputResponse> | undefined {
    return this.#byHand?.given;
  }

  get requestState(): string | undefined {
    return this.#start.own;
  }

  /** The current state of the request. */
  get state(): RoundState {
    return { ...this.#start, ...this.#round?.progress };
  }

  /** Whether the handler waits for the next round, so that its outcome no longer counts. */
  get isSuspended(): boolean {
    return this.#round?.isEnding ?? false;
  }

  /** Whether the handler was told that its round has ended. */
  get isOver(): boolean {
    return this.#round?.isClosed ?? false;
  }

  get asking(): OnDemand<Asking> {
    return this.#keeper.part;
  }

  objectionTo(request: InputRequest): McpError | undefined {
    // Only the code that is loaded on demand asks.
    return (this.#keeper.part.loaded as ModernPart).objectionTo(this.agreement, request);
  }

  ask(request: InputRequest): Promise<InputResponse> {
    return this.#inRound((round, { encodeQuestion }) => round.ask(encodeQuestion(this.agreement, request)));
  }

  step<T>(name: string, run: () => Awaitable<T>): Promise<T> {
    return this.#inRound(round => round.step(name, run));
  }

  redeem(): Promise<void> {
    this.#redeemed ??= this.#keeper.redeem(this.#start);
    return this.#redeemed;
  }

  once(): Promise<void> {
    return this.#inRound(round => round.once(number => this.#keeper.pass(this.#start, number)));
  }

  /** Starts no more steps, and waits for the running ones, so that they need not run again. */
  stopSteps(): Promise<void> | undefined {
    return this.#round?.stop();
  }

  /** Whether the request continues an earlier round. */
  get continues(): boolean {
    return (
      ROUND_METHODS.has(this.method) && ('inputResponses' in this.params || 'requestState' in this.params)
    );
  }

  /** Whether the handler may ask questions, which its client declared to answer. */
  get mayAsk(): boolean {
    const { elicitation, sampling, roots } = this.#envelope.clientCapabilities;
    return ROUND_METHODS.has(this.method) && Boolean(elicitation ?? sampling ?? roots);
  }

  /** Continues from an earlier round, with the client's answers, and those to questions asked by hand. */
  resume(
    start: RoundState,
    responses: ReadonlyMap<string, InputResponse> | undefined,
    byHand?: AnswersByHand | undefined,
  ): void {
    this.#start = start;
    this.#responses = responses;
    this.#byHand = byHand;
  }

  /**
   * Uses the round: at once if its code is loaded. If not, the client cannot be asked, and steps wait for the code, in
   * their order.
   */
  #inRound<T>(use: (round: Round, part: ModernPart) => Promise<T>): Promise<T> {
    const { part } = this.#keeper;
    if (part.loaded && !this.#loading) return use(this.#openRound(part.loaded), part.loaded);
    this.#loading ??= Promise.resolve(part.get());
    return this.#loading.then(loaded => use(this.#openRound(loaded), loaded));
  }

  #openRound({ Round }: ModernPart): Round {
    if (!this.#round) {
      this.#round = new Round(this.#start, (questions, problem) =>
        this.#keeper.ended(this, questions, problem),
      );
      if (this.#responses) this.#round.answer(this.#responses);
    }
    return this.#round;
  }

  async ping(): Promise<void> {
    // The revision has no ping, and the request itself shows that the client is connected.
  }

  closeStream(): void {
    // The revision cannot resume streams.
  }

  warn(message: string, where: string): void {
    this.#keeper.warn(message, where);
  }
}
