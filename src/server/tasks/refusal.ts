import { McpError, type Reason } from '../../protocol/errors.js';
import type { InputResponse } from '../../protocol/input.js';

const MEMBER = 'tenon/refusal';

interface Details {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
  readonly reason: Reason;
}

/** An error with which a client answered a question. It stands in the journal in place of the answer. */
export class Refusal {
  readonly [MEMBER]: Details;

  private constructor(details: Details) {
    this[MEMBER] = details;
  }

  /** The refusal if a question failed because of its answer. Throws what failed for another reason. */
  static from(thrown: unknown): Refusal {
    if (!(thrown instanceof McpError)) throw thrown;
    const { code, message, data, reason } = thrown;
    if (reason !== 'no-answer' && reason !== 'invalid-answer') throw thrown;
    return new Refusal({ code, message, data, reason });
  }
}

/** The error for the handler, as if it had asked the client itself; undefined for an answer. */
export function errorIn(response: InputResponse | Refusal): McpError | undefined {
  if (!(MEMBER in response)) return undefined;
  const { code, message, data, reason } = (response as Refusal)[MEMBER];
  return new McpError(code, message, data, { reason });
}

/** Why an answer of a client cannot be kept: it would be taken for a refusal. */
export function disguiseProblem(response: InputResponse): string | undefined {
  return MEMBER in response ? `it has the member ${MEMBER}` : undefined;
}
