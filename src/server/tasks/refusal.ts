import { McpError, type Reason } from '../../protocol/errors.js';
import { AnswerTimeout } from '../../protocol/failures.js';
import type { InputResponse } from '../../protocol/input.js';

const MEMBER = 'tenon/refusal';

interface Details {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
  readonly reason: Reason;
}

/** No answer came in time. */
interface Lateness {
  readonly message: string;
  readonly isLate: true;
}

/** Why a question has no answer. It stands in the journal in place of the answer. */
export class Refusal {
  readonly [MEMBER]: Details | Lateness;

  private constructor(details: Details | Lateness) {
    this[MEMBER] = details;
  }

  /** The refusal if a question failed because of its answer. Throws what failed for another reason. */
  static from(thrown: unknown): Refusal {
    if (!(thrown instanceof McpError)) throw thrown;
    const { code, message, data, reason } = thrown;
    if (reason !== 'no-answer' && reason !== 'invalid-answer') throw thrown;
    return new Refusal({ code, message, data, reason });
  }

  /** The refusal of a question that had no answer in time. */
  static late(method: string, timeoutMs: number): Refusal {
    return new Refusal({
      message: `the client did not answer ${method} within ${timeoutMs} ms`,
      isLate: true,
    });
  }
}

/** The error for the handler, as if it had asked the client itself; undefined for an answer. */
export function errorIn(response: InputResponse | Refusal): Error | undefined {
  if (!(MEMBER in response)) return undefined;
  const refusal = (response as Refusal)[MEMBER];
  if ('isLate' in refusal) return new AnswerTimeout(refusal.message);
  const { code, message, data, reason } = refusal;
  return new McpError(code, message, data, { reason });
}

/** Why an answer of a client cannot be kept: it would be taken for a refusal. */
export function disguiseProblem(response: InputResponse): string | undefined {
  return MEMBER in response ? `it has the member ${MEMBER}` : undefined;
}
