import { type Awaitable, andThen } from '../../base/settle.js';
import type { Result } from '../../protocol/call.js';
import { hasCapability } from '../../protocol/capabilities.js';
import {
  ERROR,
  invalidParams,
  McpError,
  missingCapability,
  type RequiredPage,
} from '../../protocol/errors.js';
import {
  type InputRequest,
  type InputRequiredResult,
  inputRequired,
  readInputAnswers,
} from '../../protocol/input.js';
import type { SingleUse } from '../../protocol/single-use.js';
import type { Revision } from '../../revisions/index.js';
import { encodeQuestion } from '../../revisions/questions.js';
import type { Seal } from '../seal/seal.js';
import { answersTo, askedByHand } from './by-hand.js';
import { FIRST_ROUND, type ModernCall } from './call.js';
import { createRequestStates, invalidState, MAX_LIFETIME_MS } from './request-state.js';
import type { RoundEnd } from './round.js';

/** Carries a request over its rounds: what one ends with is what the next one begins with. */
export interface Rounds {
  /** Whether a request goes on from an earlier round. */
  continues(call: ModernCall): boolean;
  /** Reads what the client sent back. Throws `-32602` if it is not what it was given. */
  resume(call: ModernCall): Awaitable<void>;
  /** The result that asks what a round left open. */
  ask(call: ModernCall, end: RoundEnd): Awaitable<Result>;
  /** The same for a handler that cannot go on before the user has visited pages. */
  askForPages(call: ModernCall, error: McpError): Awaitable<Result>;
  /** The same for a handler that asks by hand: its state is sealed like ours. */
  askByHand(call: ModernCall, result: InputRequiredResult): Awaitable<Result>;
}

/** The methods whose handlers may ask. */
const METHODS: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

export function createRounds(seal: Seal, singleUse: SingleUse, audience: string): Rounds {
  const states = createRequestStates(seal, audience);
  const use = async (id: string, expiresAt: number) => {
    // It was good when the round began; what has expired by now may have been forgotten.
    if (expiresAt <= Date.now()) throw invalidState();
    if (!(await singleUse.redeem(id, expiresAt))) throw spent();
  };

  return {
    continues({ method, params }) {
      return METHODS.has(method) && ('inputResponses' in params || 'requestState' in params);
    },

    resume(call) {
      const { responses, state } = readInputAnswers(call.params);
      if (state === undefined) return call.resume({ ...FIRST_ROUND, responses, byHand: responses });
      return andThen(states.open(call, state), opened => {
        const { round, journal, passes, own, asked, id, requestId, expiresAt } = opened;
        let redeemed: Promise<void> | undefined;
        call.resume({
          start: { number: round + 1, journal, passes },
          requestId,
          responses,
          byHand: answersTo(asked, responses, journal),
          own,
          redeem() {
            redeemed ??= use(id, expiresAt);
            return redeemed;
          },
          pass: number => use(`${requestId} ${number}`, Date.now() + MAX_LIFETIME_MS),
        });
      });
    },

    ask(call, { number, journal, questions, problem }) {
      if (problem) throw problem;
      checkMayAsk(call);
      const { requestId, passes, requestState: own } = call;
      const asked = call.byHand && askedByHand(call.byHand);
      return andThen(states.seal(call, { requestId, round: number, journal, passes, own, asked }), state =>
        inputRequired({ requests: questions, state }),
      );
    },

    askForPages(call, error) {
      if (!hasCapability(call.client.capabilities, 'elicitation.url')) {
        throw missingCapability('elicitation.url', 'a page for the user');
      }
      const { elicitations } = error.data as { elicitations: RequiredPage[] };
      const pages = elicitations.map(({ message, url }, at): [string, InputRequest] => [
        `page${at}`,
        { method: 'elicitation/create', params: { mode: 'url', message, url } },
      ]);
      const kept = call.requestState === undefined ? {} : { state: call.requestState };
      return this.askByHand(call, inputRequired({ requests: Object.fromEntries(pages), ...kept }));
    },

    askByHand(call, { inputRequests, requestState }) {
      checkMayAsk(call);
      const requests = inputRequests && encodeQuestions(call.spoken, inputRequests);
      const asked = askedByHand(call.byHand, inputRequests);
      const sealed = andThen(call.stopSteps(), () => {
        const { requestId, roundNumber: round, journal, passes } = call;
        return states.seal(call, { requestId, round, journal, passes, own: requestState, asked });
      });
      return andThen(sealed, state => inputRequired({ ...(requests && { requests }), state }));
    },
  };
}

/** An error that stands for questions in the revisions that have rounds. */
export function isPageRequired(thrown: unknown): thrown is McpError {
  return thrown instanceof McpError && thrown.reason === 'page-required';
}

function encodeQuestions(
  revision: Revision,
  requests: Record<string, InputRequest>,
): Record<string, InputRequest> {
  const encoded = Object.entries(requests).map(([name, request]) => [
    name,
    encodeQuestion(revision, request),
  ]);
  return Object.fromEntries(encoded);
}

/** The answer would never reach a handler of another method. */
function checkMayAsk({ method }: ModernCall): void {
  if (METHODS.has(method)) return;
  const allowed = [...METHODS].join(', ');
  throw new McpError(ERROR.internal, `a handler of ${method} cannot ask: only ${allowed} have rounds`);
}

function spent() {
  return invalidParams('this requestState was used already; start again without it');
}
