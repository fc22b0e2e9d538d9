import { copyJson, type JsonObject } from '../../base/json.js';
import type { OnDemand } from '../../base/on-demand.js';
import type { Awaitable } from '../../base/settle.js';
import type { Asking } from '../../protocol/asking.js';
import type { AskOptions, Call, ClientDescription } from '../../protocol/call.js';
import type { Caller } from '../../protocol/caller.js';
import type { McpError } from '../../protocol/errors.js';
import type { InputRequest, InputResponse } from '../../protocol/input.js';
import type { LogLevel } from '../../protocol/logging.js';
import { readProgressToken } from '../../protocol/request-meta.js';
import type { Service } from '../../protocol/service.js';
import type { TaskControl } from '../../protocol/task.js';
import type { Agreement } from '../../revisions/agreement.js';
import { objectionTo } from '../../revisions/objection.js';
import { encodeQuestion } from '../../revisions/questions.js';
import { ON_DEMAND } from '../loading.js';
import type { MiddlewareCall } from '../middleware.js';
import type { AskedByHand, TaskRequest } from './record.js';
import type { TaskRun } from './run.js';

/** The call of a handler that runs as a task, or may become one. Its questions and steps go into the task's journal. */
export class TaskCall implements Call {
  readonly method = 'tools/call';
  readonly params: JsonObject;
  readonly meta: JsonObject;
  readonly revision: string;
  readonly client: ClientDescription;
  readonly caller: Caller | undefined;
  /** A task may go on at another node, and after its session. */
  readonly session = undefined;
  readonly isStateless = true;
  /** The specification has no log messages for tasks; before the call is one, they are sent. */
  readonly logLevel: LogLevel | undefined;
  readonly asking: OnDemand<Asking> = ON_DEMAND;
  readonly task: TaskControl;
  readonly warn: Service['warn'];
  readonly #run: TaskRun;
  readonly #agreement: Agreement;
  readonly #byHand: AskedByHand | undefined;

  constructor(
    request: TaskRequest,
    run: TaskRun,
    options: {
      agreement: Agreement;
      byHand: AskedByHand | undefined;
      original?: MiddlewareCall | undefined;
      warn: Service['warn'];
    },
  ) {
    this.params = request.params;
    // Handlers report progress only with a token; the progress of a task is its status message.
    this.meta = { ...request.meta, progressToken: readProgressToken(request.meta) ?? run.id };
    this.revision = request.revision;
    this.client = request.client;
    this.caller = request.caller;
    this.#run = run;
    this.#agreement = options.agreement;
    this.#byHand = options.byHand;
    this.warn = options.warn;
    this.logLevel = options.original?.logLevel;
    this.task = {
      get id() {
        return run.taskId;
      },
      defer: () => run.defer(),
    };
  }

  get signal(): AbortSignal {
    return this.#run.signal;
  }

  get inputResponses(): ReadonlyMap<string, InputResponse> | undefined {
    return this.#byHand && new Map(Object.entries(copyJson(this.#byHand.answers)));
  }

  get requestState(): string | undefined {
    return this.#byHand?.state;
  }

  notify(method: string, params: JsonObject): void {
    this.#run.notify(method, params);
  }

  objectionTo(request: InputRequest): McpError | undefined {
    return objectionTo(this.#agreement, request);
  }

  async ask(request: InputRequest, { timeoutMs }: AskOptions = {}): Promise<InputResponse> {
    return this.#run.ask(encodeQuestion(this.#agreement, request), timeoutMs);
  }

  step<T>(name: string, run: () => Awaitable<T>): Promise<T> {
    return this.#run.step(name, run);
  }

  once(): Promise<void> {
    return this.#run.once();
  }

  redeem(): Promise<void> {
    return this.#run.redeem();
  }

  async ping(): Promise<void> {
    // The client of a task need not be connected.
  }

  closeStream(): void {}
}
