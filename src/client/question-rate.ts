import { UsageError } from '../base/errors.js';
import { ERROR, McpError } from '../protocol/errors.js';

const MINUTE_MS = 60_000;

/**
 * Limits how often a server may ask questions, such as for elicitation or sampling.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#security-considerations
 */
export class QuestionRate {
  readonly #perMinute: number;
  /** How many questions may be asked now. It grows with time, up to those of a minute. */
  #left: number;
  #countedAt = Date.now();

  constructor(perMinute: number) {
    if (typeof perMinute !== 'number' || !(perMinute > 0))
      throw new UsageError(
        `maxQuestionsPerMinute must be a positive number, not ${JSON.stringify(perMinute)}`,
      );
    this.#perMinute = perMinute;
    this.#left = perMinute;
  }

  /** Counts questions. Throws if there are too many. */
  count(questions: number): void {
    if (this.#perMinute === Number.POSITIVE_INFINITY) return;
    const now = Date.now();
    const earned = (Math.max(0, now - this.#countedAt) / MINUTE_MS) * this.#perMinute;
    this.#left = Math.min(this.#perMinute, this.#left + earned);
    this.#countedAt = now;
    if (questions > this.#left) {
      throw new McpError(
        ERROR.invalidRequest,
        `this client answers at most ${this.#perMinute} questions per minute`,
      );
    }
    this.#left -= questions;
  }
}
