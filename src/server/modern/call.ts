import { Cancellation } from '../../base/cancellation.js';
import { copyJson } from '../../base/canonical.js';
import type { JsonObject } from '../../base/json.js';
import type { Awaitable } from '../../base/settle.js';
import { notificationText, type Request, type RequestId } from '../../jsonrpc/message.js';
import type { Call, ClientDescription } from '../../protocol/call.js';
import type { Caller } from '../../protocol/caller.js';
import type { InputRequest, InputResponse } from '../../protocol/input.js';
import type { LogLevel } from '../../protocol/logging.js';
import type { RequestMeta } from '../../protocol/request-meta.js';
import { encodeNotification } from '../../revisions/encode.js';
import type { Revision } from '../../revisions/index.js';
import { encodeQuestion } from '../../revisions/questions.js';
import type { Channel } from '../channel.js';
import type { Entry } from './journal.js';
import { Round, type RoundEnd, type RoundStart } from './round.js';

/** What a round begins with. */
export interface RoundInput {
  start: RoundStart;
  /** Undefined before the first state was made. */
  requestId: string | undefined;
  /** What came with the request. */
  responses: ReadonlyMap<string, InputResponse> | undefined;
  /** All answers so far to what was asked by hand. */
  byHand: ReadonlyMap<string, InputResponse> | undefined;
  /** The state of a handler that asks by hand. */
  own: string | undefined;
  /** Spends the state that the round began with. */
  redeem(): Promise<void>;
  /** Lets the request pass where it may pass only once, if no other round did with the same number. */
  pass(number: number): Promise<void>;
}

/** Before anything was asked. */
export const FIRST_ROUND: RoundInput = {
  start: { number: 1, journal: [], passes: 0 },
  requestId: undefined,
  responses: undefined,
  byHand: undefined,
  own: undefined,
  redeem: async () => {},
  pass: async () => {},
};

/** A call that stands alone: everything that it needs came with the request. */
export class ModernCall implements Call {
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
  readonly caller: Caller | undefined;
  readonly session = undefined;
  readonly cancellation = new Cancellation();
  readonly channel: Channel;
  /** The revision that the request is written in. */
  readonly spoken: Revision;
  readonly #envelope: RequestMeta;
  readonly #onRoundEnd: (call: ModernCall, end: RoundEnd) => void;
  #input: RoundInput = FIRST_ROUND;
  #requestId: string | undefined;
  #shown: ReadonlyMap<string, InputResponse> | undefined;
  #round: Round | undefined;

  constructor(
    request: Request,
    envelope: RequestMeta,
    revision: Revision,
    channel: Channel,
    caller: Caller | undefined,
    onRoundEnd: (call: ModernCall, end: RoundEnd) => void,
  ) {
    this.id = request.id;
    this.method = request.method;
    this.params = request.params;
    this.caller = caller;
    this.#envelope = envelope;
    this.spoken = revision;
    this.channel = channel;
    this.#onRoundEnd = onRoundEnd;
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
    return this.cancellation.signal;
  }

  get logLevel(): LogLevel | undefined {
    return this.#envelope.logLevel;
  }

  notify(method: string, params: JsonObject): void {
    if (this.cancellation.aborted || this.channel.isFull) return;
    const encoded = encodeNotification(this.spoken, method, params);
    if (encoded) this.channel.send(notificationText(method, encoded));
  }

  get inputResponses(): ReadonlyMap<string, InputResponse> | undefined {
    const { byHand } = this.#input;
    // What the handler does to its copy is not what was answered.
    if (byHand) this.#shown ??= new Map(copyJson([...byHand]));
    return this.#shown;
  }

  /** All answers so far to what was asked by hand, as they came. */
  get byHand(): ReadonlyMap<string, InputResponse> | undefined {
    return this.#input.byHand;
  }

  get requestState(): string | undefined {
    return this.#input.own;
  }

  /** Whether the handler is waiting for the next round, so that nothing it still does counts. */
  get isSuspended(): boolean {
    return this.#round?.isEnding ?? false;
  }

  /** Whether the handler was told that its round has ended. */
  get isOver(): boolean {
    return this.#round?.isClosed ?? false;
  }

  /** Tells the rounds of this request from those of all others. */
  get requestId(): string {
    this.#requestId ??= this.#input.requestId ?? crypto.randomUUID();
    return this.#requestId;
  }

  get roundNumber(): number {
    return this.#input.start.number;
  }

  /** How often the request came to points that it passes only once. */
  get passes(): number {
    return this.#round?.passes ?? this.#input.start.passes;
  }

  /** What was asked and done so far. */
  get journal(): readonly Entry[] {
    return this.#round?.journal ?? this.#input.start.journal;
  }

  ask(request: InputRequest): Promise<InputResponse> {
    return this.#openRound().ask(encodeQuestion(this.spoken, request));
  }

  step<T>(name: string, run: () => Awaitable<T>): Promise<T> {
    return this.#openRound().step(name, run);
  }

  redeem(): Promise<void> {
    return this.#input.redeem();
  }

  once(): Promise<void> {
    return this.#openRound().once(number => this.#input.pass(number));
  }

  /** Begins nothing more, and waits for what runs, so that it need not run again. */
  stopSteps(): Promise<void> | undefined {
    return this.#round?.stop();
  }

  /** Goes on from an earlier round. */
  resume(input: RoundInput): void {
    this.#input = input;
  }

  #openRound(): Round {
    if (!this.#round) {
      this.#round = new Round(this.#input.start, end => this.#onRoundEnd(this, end));
      if (this.#input.responses) this.#round.answer(this.#input.responses);
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
