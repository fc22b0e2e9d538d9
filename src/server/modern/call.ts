import { copyJson } from '../../base/canonical.js';
import type { JsonObject } from '../../base/json.js';
import type { Awaitable } from '../../base/settle.js';
import { notificationText, type Request, type RequestId } from '../../jsonrpc/message.js';
import type { Call, ClientDescription } from '../../protocol/call.js';
import type { Caller } from '../../protocol/caller.js';
import type { McpError } from '../../protocol/errors.js';
import type { InputRequest, InputResponse } from '../../protocol/input.js';
import type { LogLevel } from '../../protocol/logging.js';
import type { RequestMeta } from '../../protocol/request-meta.js';
import { encodeNotification } from '../../revisions/encode.js';
import type { Revision } from '../../revisions/index.js';
import { encodeQuestion } from '../../revisions/questions.js';
import type { Channel } from '../channel.js';
import type { RunningCall } from '../running-calls.js';
import { answersByHand } from './by-hand.js';
import { Round } from './round.js';
import { FIRST_ROUND, type RoundState } from './round-state.js';

/** What a call needs of those who carry it from round to round. */
export interface RoundKeeper {
  /** Asks what a round has left open, unless there is a problem. */
  ended(call: ModernCall, questions: Record<string, InputRequest>, problem: McpError | undefined): void;
  /** Spends the state that a round began with. */
  redeem(state: RoundState): Promise<void>;
  /** Lets the request pass where it may pass only once, if no other round did with the same number. */
  pass(state: RoundState, number: number): Promise<void>;
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
  /** The revision that the request is written in. */
  readonly spoken: Revision;
  readonly #envelope: RequestMeta;
  readonly #keeper: RoundKeeper;
  /** What the round began with. */
  #start: RoundState = FIRST_ROUND;
  /** What came with the request. */
  #responses: ReadonlyMap<string, InputResponse> | undefined;
  #answersByHand: ReadonlyMap<string, InputResponse> | undefined;
  #shown: ReadonlyMap<string, InputResponse> | undefined;
  #redeemed: Promise<void> | undefined;
  #round: Round | undefined;

  constructor(
    request: Request,
    envelope: RequestMeta,
    revision: Revision,
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
    this.spoken = revision;
    this.channel = channel;
    this.#keeper = keeper;
  }

  get meta(): JsonObject {
    return this.params._meta as JsonObject;
  }

  get revision(): string {
    return this.spoken.name;
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
    if (this.running.cancellation.aborted || this.channel.isFull) return;
    const encoded = encodeNotification(this.spoken, method, params);
    if (encoded) this.channel.send(notificationText(method, encoded));
  }

  get inputResponses(): ReadonlyMap<string, InputResponse> | undefined {
    // What the handler does to its copy is not what was answered.
    if (this.#answersByHand) this.#shown ??= new Map(copyJson([...this.#answersByHand]));
    return this.#shown;
  }

  /** All answers so far to what was asked by hand, as they came. */
  get answersByHand(): ReadonlyMap<string, InputResponse> | undefined {
    return this.#answersByHand;
  }

  get requestState(): string | undefined {
    return this.#start.own;
  }

  /** Where the request stands now. */
  get state(): RoundState {
    return this.#round?.state ?? this.#start;
  }

  /** Whether the handler is waiting for the next round, so that nothing it still does counts. */
  get isSuspended(): boolean {
    return this.#round?.isEnding ?? false;
  }

  /** Whether the handler was told that its round has ended. */
  get isOver(): boolean {
    return this.#round?.isClosed ?? false;
  }

  ask(request: InputRequest): Promise<InputResponse> {
    return this.#openRound().ask(encodeQuestion(this.spoken, request));
  }

  step<T>(name: string, run: () => Awaitable<T>): Promise<T> {
    return this.#openRound().step(name, run);
  }

  redeem(): Promise<void> {
    this.#redeemed ??= this.#keeper.redeem(this.#start);
    return this.#redeemed;
  }

  once(): Promise<void> {
    return this.#openRound().once(number => this.#keeper.pass(this.#start, number));
  }

  /** Begins nothing more, and waits for what runs, so that it need not run again. */
  stopSteps(): Promise<void> | undefined {
    return this.#round?.stop();
  }

  /** Goes on from an earlier round, with what the client has answered. */
  resume(start: RoundState, responses: ReadonlyMap<string, InputResponse> | undefined): void {
    this.#start = start;
    this.#responses = responses;
    this.#answersByHand = answersByHand(start, responses);
  }

  #openRound(): Round {
    if (!this.#round) {
      this.#round = new Round(this.#start, (questions, problem) =>
        this.#keeper.ended(this, questions, problem),
      );
      if (this.#responses) this.#round.answer(this.#responses);
    }
    return this.#round;
  }

  async ping(): Promise<void> {
    // The revision has no ping: a request is proof enough.
  }

  closeStream(): void {
    // The revision has no way to come back to a stream.
  }
}
