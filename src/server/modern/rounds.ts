import { type Awaitable, andThen } from '../../base/settle.js';
import type { Result } from '../../protocol/call.js';
import { ERROR, invalidParams, McpError } from '../../protocol/errors.js';
import {
  type InputRequest,
  type InputRequiredResult,
  inputRequired,
  readInputAnswers,
} from '../../protocol/input.js';
import { MAX_ROUNDS, ROUND_METHODS, tooManyRounds } from '../../protocol/round.js';
import type { SingleUse } from '../../protocol/single-use.js';
import { REQUEST_LIFETIME_MS } from '../limits.js';
import type { Seal } from '../seal/seal.js';
import { askByHand, askedByHand, type ByHand } from './by-hand.js';
import type { ModernCall } from './call.js';
import { createRequestStates, invalidState, type RequestStates } from './request-state.js';
import { FIRST_ROUND, type RoundState } from './round-state.js';

/** Carries a request over its rounds: what one ends with is what the next one begins with. */
export class Rounds {
  readonly #states: RequestStates;
  readonly #singleUse: SingleUse;

  constructor(seal: Seal, singleUse: SingleUse, audience: string) {
    this.#states = createRequestStates(seal, audience);
    this.#singleUse = singleUse;
  }

  /** Whether a request goes on from an earlier round. */
  continues({ method, params }: ModernCall): boolean {
    return ROUND_METHODS.has(method) && ('inputResponses' in params || 'requestState' in params);
  }

  /** Reads what the client sent back. Throws `-32602` if it is not what it was given. */
  resume(call: ModernCall): Awaitable<void> {
    const { responses, state } = readInputAnswers(call.params);
    if (state === undefined) return call.resume(FIRST_ROUND, responses);
    return andThen(this.#states.open(call, state), opened =>
      call.resume({ ...opened, round: opened.round + 1 }, responses),
    );
  }

  /** The result that asks what a round left open. Throws the problem of a handler that cannot ask after all. */
  ask(
    call: ModernCall,
    questions: Record<string, InputRequest>,
    problem?: McpError | undefined,
  ): Awaitable<Result> {
    if (problem) throw problem;
    checkMayAsk(call);
    const asked = call.answersByHand && askedByHand(call.answersByHand);
    return andThen(this.#seal(call, call.requestState, asked), state =>
      inputRequired({ requests: questions, state }),
    );
  }

  /** The same for a handler that asks by hand. */
  askByHand(call: ModernCall, result: InputRequiredResult): Awaitable<Result> {
    checkMayAsk(call);
    return askByHand(call, result, (own, asked) => this.#seal(call, own, asked));
  }

  /** Spends the state that a round began with. Throws `-32602` if it was used before. */
  async redeem({ id, expiresAt }: RoundState): Promise<void> {
    if (id !== undefined && expiresAt !== undefined) await this.#use(id, expiresAt);
  }

  /** Lets a request pass with a number, if no other round of it did. Throws `-32602` otherwise. */
  async pass({ requestId }: RoundState, number: number): Promise<void> {
    if (requestId !== undefined) await this.#use(`${requestId} ${number}`, Date.now() + REQUEST_LIFETIME_MS);
  }

  #seal(call: ModernCall, own: string | undefined, asked: readonly ByHand[] | undefined): Awaitable<string> {
    const { state } = call;
    if (state.round >= MAX_ROUNDS) throw tooManyRounds();
    const requestId = state.requestId ?? crypto.randomUUID();
    return this.#states.seal(call, { ...state, requestId, own, asked });
  }

  async #use(id: string, expiresAt: number): Promise<void> {
    // It was good when the round began; what has expired by now may have been forgotten.
    if (expiresAt <= Date.now()) throw invalidState();
    if (!(await this.#singleUse.redeem(id, expiresAt))) throw spent();
  }
}

/** The answer would never reach a handler of another method. */
function checkMayAsk({ method }: ModernCall): void {
  if (ROUND_METHODS.has(method)) return;
  const allowed = [...ROUND_METHODS].join(', ');
  throw new McpError(ERROR.internal, `a handler of ${method} cannot ask: only ${allowed} have rounds`);
}

function spent() {
  return invalidParams('this requestState was used already; start again without it');
}
