import { type Awaitable, andThen } from '../../base/settle.js';
import type { Result } from '../../protocol/call.js';
import { invalidParams, type McpError } from '../../protocol/errors.js';
import { type InputRequest, type InputRequiredResult, readInputAnswers } from '../../protocol/input.js';
import { checkMayAsk } from '../../protocol/may-ask.js';
import { MAX_ROUNDS, tooManyRounds } from '../../protocol/round-limit.js';
import type { SingleUse } from '../../protocol/single-use.js';
import { STATE_LIFETIME_MS } from '../limits.js';
import { pagesAsQuestions } from '../rounds/required-pages.js';
import type { Seal } from '../seal/seal.js';
import { answersByHand, askByHand, askedByHand, type ByHand } from './by-hand.js';
import type { ModernCall } from './call.js';
import { createRequestStates, invalidState, type RequestStates } from './request-state.js';
import { FIRST_ROUND, type RoundState } from './round-state.js';

/** Carries a request over its rounds: the state at the end of one round is the start of the next. */
export class Rounds {
  readonly #states: RequestStates;
  readonly #singleUse: SingleUse;
  readonly #requestLifetimeMs: number;

  constructor(seal: Seal, singleUse: SingleUse, lifetimeMs = STATE_LIFETIME_MS) {
    this.#states = createRequestStates(seal, lifetimeMs);
    // Each round creates a new state.
    this.#requestLifetimeMs = MAX_ROUNDS * lifetimeMs;
    this.#singleUse = singleUse;
  }

  /** Reads the state and the answers that the client sent. Throws `-32602` if the state is not valid. */
  resume(call: ModernCall): Awaitable<void> {
    const { responses, state } = readInputAnswers(call.params);
    const begin = (start: RoundState) => call.resume(start, responses, answersByHand(start, responses));
    if (state === undefined) return begin(FIRST_ROUND);
    return andThen(this.#states.open(call, state), opened => begin({ ...opened, round: opened.round + 1 }));
  }

  /** The result with the open questions of a round. Throws `problem` if there is one. */
  ask(
    call: ModernCall,
    questions: Record<string, InputRequest>,
    problem?: McpError | undefined,
  ): Awaitable<Result> {
    if (problem) throw problem;
    checkMayAsk(call);
    const asked = call.answersByHand && askedByHand(call.answersByHand);
    return andThen(this.#seal(call, call.requestState, asked), requestState => ({
      resultType: 'input_required',
      inputRequests: questions,
      requestState,
    }));
  }

  /** Asks the user to visit the pages that an error names. */
  askForPages(call: ModernCall, error: McpError): Awaitable<Result> {
    return this.askByHand(call, pagesAsQuestions(call, error));
  }

  /** The result with the questions of a handler that asks by hand. */
  askByHand(call: ModernCall, result: InputRequiredResult): Awaitable<Result> {
    checkMayAsk(call);
    return askByHand(call, result, (own, asked) => this.#seal(call, own, asked));
  }

  /** Uses up the state that a round began with. Throws `-32602` if it was used before. */
  async redeem({ id, expiresAt }: RoundState): Promise<void> {
    if (id !== undefined && expiresAt !== undefined) await this.#use(id, expiresAt);
  }

  /** Lets a request pass a `ctx.once()`. Throws `-32602` if another round has passed the one of this number. */
  async pass({ requestId }: RoundState, number: number): Promise<void> {
    if (requestId !== undefined)
      await this.#use(`${requestId} ${number}`, Date.now() + this.#requestLifetimeMs);
  }

  #seal(call: ModernCall, own: string | undefined, asked: readonly ByHand[] | undefined): Awaitable<string> {
    const { state } = call;
    if (state.round >= MAX_ROUNDS) throw tooManyRounds();
    const requestId = state.requestId ?? crypto.randomUUID();
    return this.#states.seal(call, { ...state, requestId, own, asked });
  }

  async #use(id: string, expiresAt: number): Promise<void> {
    // The state may have expired since the round began, and the store may have forgotten it then.
    if (expiresAt <= Date.now()) throw invalidState();
    if (!(await this.#singleUse.redeem(id, expiresAt))) throw spent();
  }
}

function spent() {
  return invalidParams('this requestState was used already; start again without it');
}
