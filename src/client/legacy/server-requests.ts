import { clip } from '../../base/clip.js';
import { Cancelled, UsageError } from '../../base/errors.js';
import { isObject, type JsonObject, quoteBriefly } from '../../base/json.js';
import { messageOf } from '../../base/thrown.js';
import {
  errorText,
  type Malformed,
  type Request,
  type RequestId,
  resultText,
} from '../../jsonrpc/message.js';
import { ERROR, McpError, methodNotFound } from '../../protocol/errors.js';
import { ConnectionError, HttpError } from '../../protocol/failures.js';
import type { InputRequest } from '../../protocol/input.js';
import { readProgressToken } from '../../protocol/request-meta.js';
import type { Agreement } from '../../revisions/agreement.js';
import { checkForm, encodeAnswer } from '../../revisions/questions.js';
import { WrongAnswer } from '../answers.js';
import { MAX_QUESTIONS, MAX_REFUSALS } from '../limits.js';
import type { LinkHost } from '../link.js';
import { checkQuestion } from '../permission.js';
import type { Headers } from '../wire.js';

/** The session that a request of the server came in. */
export interface Origin {
  /** Undefined where there are no sessions. */
  session: string | undefined;
  /** The client's own request that it belongs to, if that is known. */
  about: RequestId | undefined;
  /** The headers of messages in that session. */
  headers: Headers;
  agreement: Agreement;
}

/** A question that is being answered. */
interface RunningQuestion {
  controller: AbortController;
  token: RequestId | undefined;
  /** The progress that the server was told of. */
  progress: number;
}

/** The client's own requests, and the way to send answers. */
export interface OwnRequests {
  /** Sends the answer to a request of this method. */
  answer(method: string, text: string, headers: Headers): Promise<void>;
  /** Ends a running request that cannot succeed any more. */
  fail(id: RequestId, error: Error): void;
  /** Stops the time of all that are running. */
  hold(until: Promise<unknown>): void;
}

/** Answers the requests of a legacy server, each in the session that it came in. */
export class ServerRequests {
  readonly #host: LinkHost;
  readonly #requests: OwnRequests;
  /** The questions that are being answered. Another session may use the same ids. */
  readonly #questions = new Map<string, RunningQuestion>();
  /** How many pings are being answered. */
  #pings = 0;
  /** How many refusals wait to be sent, and the promise that they are. */
  #refusals = 0;
  #refusing: Promise<void> = Promise.resolve();
  #isOver = false;

  constructor(host: LinkHost, requests: OwnRequests) {
    this.#host = host;
    this.#requests = requests;
  }

  async take(request: Request | Malformed, origin: Origin): Promise<void> {
    const { id } = request;
    if (id === undefined) return;
    if (request.kind === 'malformed')
      return this.#refuse('an invalid request', errorText(id, request.error), origin);
    const { method } = request;
    const key = keyOf(id, origin.session);
    // A repeated id cannot be answered twice.
    if (this.#questions.has(key)) return;
    if (method === 'ping') return this.#answerPing(id, origin);
    if (this.#questions.size >= MAX_QUESTIONS) return this.#refuse(method, tooMany(id), origin);
    const controller = new AbortController();
    this.#questions.set(key, { controller, token: readToken(request.params), progress: -Infinity });
    try {
      const text = await this.#reply(request, origin, controller.signal);
      if (!controller.signal.aborted && !this.#isOver) await this.#answer(method, text, origin, origin.about);
    } finally {
      this.#questions.delete(key);
    }
  }

  /** Throws if no question that is being answered asked for this progress, or it is not more than before. */
  checkProgress({ progressToken, progress }: JsonObject = {}): void {
    const question = [...this.#questions.values()].find(({ token }) => token === progressToken);
    if (progressToken === undefined || !question)
      throw new UsageError(
        `no running question of the server has the progress token ${quoteBriefly(progressToken)}`,
      );
    if (typeof progress !== 'number') throw new UsageError('progress must be a number');
    if (progress <= question.progress)
      throw new UsageError(`progress must grow: it was ${question.progress} already, not ${progress}`);
    question.progress = progress;
  }

  /** The server withdrew a question. */
  cancelled({ requestId, reason }: JsonObject, session: string | undefined): void {
    const why = typeof reason === 'string' ? reason : 'the server withdrew its question';
    this.#questions.get(keyOf(requestId as RequestId, session))?.controller.abort(new Cancelled(why));
  }

  /** The connection is over: no answer can be sent any more. */
  end(reason: string): void {
    this.#isOver = true;
    for (const { controller } of this.#questions.values()) controller.abort(new Cancelled(reason));
  }

  /** Pings are answered at once, however many questions wait. */
  async #answerPing(id: RequestId, origin: Origin): Promise<void> {
    if (this.#pings >= MAX_QUESTIONS) return;
    this.#pings++;
    await this.#answer('ping', resultText(id, '{}'), origin);
    this.#pings--;
  }

  /** Refusals are sent one by one. */
  #refuse(method: string, text: string, origin: Origin): void {
    if (this.#refusals >= MAX_REFUSALS) return;
    this.#refusals++;
    this.#refusing = this.#refusing.then(async () => {
      if (!this.#isOver) await this.#answer(method, text, origin);
      this.#refusals--;
    });
  }

  /** Sends an answer. Without it, the request that it is about would wait for its timeout. */
  async #answer(method: string, text: string, { headers }: Origin, about?: RequestId): Promise<void> {
    try {
      await this.#requests.answer(method, text, headers);
    } catch (cause) {
      const problem = `an answer to ${clip(method)} could not be sent: ${messageOf(cause)}`;
      this.#host.warn(problem);
      // A session that the server has forgotten is opened again, and the server may still end the request.
      const isForgotten = cause instanceof HttpError && cause.status === 404;
      if (about !== undefined && !isForgotten)
        this.#requests.fail(about, new ConnectionError(problem, { cause }));
    }
  }

  async #reply({ id, method, params }: Request, { agreement }: Origin, signal: AbortSignal): Promise<string> {
    try {
      const own = agreement.maySend('server', method) && this.#host.answerOwn(method, params, signal);
      if (own) {
        this.#requests.hold(own);
        return resultText(id, JSON.stringify(await own));
      }
      if (!agreement.revision.questions.has(method)) throw methodNotFound(method);
      const question = checkQuestion(agreement, { method, params } as InputRequest);
      checkForm(agreement.revision, question);
      const answering = this.#host.answer(question, signal);
      // The time that a user takes to answer does not count.
      this.#requests.hold(answering);
      const answer = await answering;
      return resultText(id, JSON.stringify(encodeAnswer(agreement.revision, answer)));
    } catch (thrown) {
      // The author has to know of it, too, and the call of the server's tool goes on without them.
      if (!(thrown instanceof McpError) && !signal.aborted)
        this.#host.warn(
          thrown instanceof WrongAnswer
            ? thrown.message
            : `${clip(method)} was not answered: ${messageOf(thrown)}`,
        );
      const error =
        thrown instanceof WrongAnswer ? new McpError(ERROR.internal, thrown.message) : McpError.from(thrown);
      const { code, message, data } = error;
      return errorText(id, { code, message, data });
    }
  }
}

function readToken({ _meta }: JsonObject): RequestId | undefined {
  return isObject(_meta) ? readProgressToken(_meta) : undefined;
}

function keyOf(id: RequestId, session = ''): string {
  return JSON.stringify([id, session]);
}

function tooMany(id: RequestId): string {
  const message = `${MAX_QUESTIONS} questions are waiting for answers already; ask again later`;
  return errorText(id, { code: ERROR.internal, message });
}
