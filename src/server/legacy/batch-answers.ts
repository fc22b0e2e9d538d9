import type { RequestId } from '../../jsonrpc/message.js';
import { MESSAGE_BYTES } from '../../jsonrpc/parse.js';
import { ERROR, McpError } from '../../protocol/errors.js';
import type { Revision } from '../../revisions/index.js';
import { type AnswerText, answerError } from '../answer.js';
import type { Account } from '../ledger.js';
import { MAX_BATCH_ANSWER, RETRY_AFTER_MS } from '../limits.js';

const NOT_RUN = 'the answers to this batch are large already, so this request was not run; send it alone';
const LEFT_OUT =
  'this request was run, but its answer is too large beside the others of the batch; send it alone';

/** Holds the answers to a batch until the last of them is there, or an error for those that do not fit. */
export class BatchAnswers {
  readonly #revision: Revision;
  readonly #account: Account;
  #length = 0;
  #isFull = false;

  /** `account` is charged for the answers. */
  constructor(revision: Revision, account: Account) {
    this.#revision = revision;
    this.#account = account;
  }

  /** The answer to a request that should not run, because an earlier answer did not fit. */
  instead(id: RequestId): AnswerText | undefined {
    return this.#isFull ? this.#refuse(id, NOT_RUN) : undefined;
  }

  /** The answer, or the error that takes its place. */
  hold(id: RequestId, answer: AnswerText | undefined): AnswerText | undefined {
    const { length } = answer?.text ?? '';
    // An error would take as much as a small answer.
    if (length > MESSAGE_BYTES && !this.#hasRoom(length)) {
      this.#isFull = true;
      return this.#refuse(id, LEFT_OUT);
    }
    this.#length += length;
    this.#account.add(length);
    return answer;
  }

  /** The answers are being sent. */
  release(): void {
    this.#account.remove(this.#length);
    this.#length = 0;
  }

  #hasRoom(length: number): boolean {
    return this.#length + length <= MAX_BATCH_ANSWER && !this.#account.refusal(length);
  }

  #refuse(id: RequestId, message: string): AnswerText {
    const error = new McpError(ERROR.busy, message, { retryAfterMs: RETRY_AFTER_MS });
    return answerError(this.#revision, id, error);
  }
}
