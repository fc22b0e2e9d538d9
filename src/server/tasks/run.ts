import { abortError } from '../../base/abort.js';
import { inBackground } from '../../base/background.js';
import { Cancellation } from '../../base/cancellation.js';
import { Cancelled } from '../../base/errors.js';
import type { JsonObject } from '../../base/json.js';
import { type Awaitable, settle } from '../../base/settle.js';
import type { Result } from '../../protocol/call.js';
import { invalidParams, type McpError } from '../../protocol/errors.js';
import type { InputRequest, InputRequiredResult, InputResponse } from '../../protocol/input.js';
import { isInputRequired } from '../../protocol/input-required.js';
import { readProgressToken } from '../../protocol/request-meta.js';
import { ROUND_ENDED, RoundEnded } from '../../protocol/round.js';
import type { Service } from '../../protocol/service.js';
import type { Agreement } from '../../revisions/agreement.js';
import { ClusterUnavailable } from '../cluster/failures.js';
import type { MiddlewareCall } from '../middleware.js';
import type { JournalEntry } from '../rounds/journal.js';
import { Round } from '../rounds/round.js';
import { TaskCall } from './call.js';
import { leaseFor } from './leases.js';
import { MAX_STATUS_LENGTH, PROGRESS_MS } from './limits.js';
import {
  expiryOf,
  hasEnded,
  type Lease,
  type RunState,
  type TaskRecord,
  type TaskRequest,
  withRun,
  withState,
} from './record.js';
import { errorIn } from './refusal.js';
import type { Held, TaskStore } from './store.js';
import { writeToken } from './token.js';

/** How a run of a handler ended. */
export type Outcome =
  | { readonly kind: 'result'; readonly result: Result }
  | { readonly kind: 'error'; readonly thrown: unknown }
  /** It asks questions, and has to run again with the answers. */
  | { readonly kind: 'asked'; readonly questions: Readonly<Record<string, InputRequest>> }
  /** It returned questions itself. */
  | { readonly kind: 'asked-by-hand'; readonly asked: InputRequiredResult }
  /** It was aborted: the task has ended, belongs to another node, or will. */
  | { readonly kind: 'stopped' };

/** Why a run is stopped whose node closes. */
export const NODE_CLOSES = new Cancelled('this node closes');

export interface RunOptions {
  /** The name of the run in the lease; a new one if not set. */
  readonly id?: string | undefined;
  readonly store: TaskStore;
  readonly agreement: Agreement;
  readonly leaseMs: number;
  readonly warn: Service['warn'];
  /** Makes the call a task before its time, because the handler defers it. */
  readonly promote?: (() => Promise<void>) | undefined;
  /** The client's request, while it has no response: then the run is not a task yet. */
  readonly original?: MiddlewareCall | undefined;
}

/**
 * One run of a handler. It may begin as an ordinary call and become a task. Then everything that a later run needs is
 * written to the cluster, and each write succeeds only while this run holds the lease.
 */
export class TaskRun {
  readonly id: string;
  readonly call: TaskCall;
  readonly round: Round;
  readonly #options: RunOptions;
  readonly #cancellation = new Cancellation();
  readonly #start: RunState;
  readonly #asked: Promise<Outcome>;
  /** Resolves when the handler defers the work. */
  readonly whenDeferred: Promise<void>;
  /** Settles when the handler has ended, which may be long after the run was stopped. */
  handled: Promise<unknown> = Promise.resolve();
  #isHandling = false;
  /** The record, while the run holds it; undefined while the call is not a task. */
  #held: Held | undefined;
  /** Writes wait for each other, because each needs the version that the one before made. */
  #writing: Promise<void> = Promise.resolve();
  #renewal: ReturnType<typeof setInterval> | undefined;
  #renewedAt = 0;
  #isRenewing = false;
  #message: string | undefined;
  #messageTimer: ReturnType<typeof setTimeout> | undefined;
  #passes = 0;
  #onDefer: () => void = () => {};
  #secret: string | undefined;
  /** The client's request below the middleware, which notifications have passed when they come here. */
  #below: MiddlewareCall | undefined;
  /** The time limits of questions that have one. */
  readonly #timeouts = new Map<InputRequest, number>();

  constructor(request: TaskRequest, start: RunState, options: RunOptions) {
    this.id = options.id ?? crypto.randomUUID();
    this.#options = options;
    this.#start = start;
    this.#secret = start.secret;
    let onEnd: (outcome: Outcome) => void = () => {};
    this.#asked = new Promise(resolve => {
      onEnd = resolve;
    });
    this.whenDeferred = new Promise(resolve => {
      this.#onDefer = resolve;
    });
    this.round = new Round({ journal: start.journal, passes: start.passesBefore }, (questions, problem) => {
      onEnd(problem ? { kind: 'error', thrown: problem } : { kind: 'asked', questions });
      this.stop(ROUND_ENDED);
    });
    this.call = new TaskCall(request, this, { ...options, byHand: start.byHand });
  }

  get signal(): AbortSignal {
    return this.#cancellation.signal;
  }

  /** Whether the handler has not ended. */
  get isHandling(): boolean {
    return this.#isHandling;
  }

  get taskId(): string | undefined {
    return this.#held?.record.state.id;
  }

  /** The progress so far, for a task that begins later. */
  get message(): string | undefined {
    return this.#message;
  }

  /** What the next run needs. */
  get progress(): RunState {
    const { passesBefore, byHand } = this.#start;
    const passes = Math.max(this.#start.passes, passesBefore + this.#passes);
    return { journal: this.#journal(), passesBefore, passes, attempts: 0, byHand, secret: this.#secret };
  }

  get isDeferred(): boolean {
    return this.#secret !== undefined;
  }

  /** The call of the handler, in place of the client's request. */
  standIn(below: MiddlewareCall): TaskCall {
    this.#below = below;
    return this.call;
  }

  /** Runs the handler until it ends, asks, or is stopped. */
  run(handle: () => Awaitable<Result>): Promise<Outcome> {
    this.#isHandling = true;
    const handled = Promise.resolve(
      settle(handle, toOutcome, thrown => ({ kind: 'error', thrown }) as const),
    ).finally(() => {
      this.#isHandling = false;
    });
    this.handled = handled;
    return Promise.race([handled.then(outcome => this.#unlessAsked(outcome)), this.#asked, this.#stopped()]);
  }

  /** Stops the handler. */
  stop(reason: Error): void {
    this.#cancellation.abort(reason);
    this.#end();
  }

  /** From now on the run belongs to a stored task, whose lease it holds since `at`. */
  hold(held: Held, at = performance.now()): void {
    this.#held = held;
    this.#renewedAt = at;
    const { leaseMs } = this.#options;
    this.#renewal = inBackground(setInterval(() => this.#renew(), leaseMs / 3));
  }

  /** The same for a task that is tentative. Resolves when it is not any more: steps may have ended while it was stored. */
  async confirm(held: Held): Promise<void> {
    this.hold(held);
    // Its lease began before it was stored, and may be over by now.
    await this.#record(record =>
      withRun(record, { journal: this.#journal(), isTentative: undefined, lease: this.#lease() }),
    );
  }

  /** Writes a last change, and gives the lease up. Returns the record; undefined if the task is not ours any more. */
  async leave(alter: (record: TaskRecord) => TaskRecord): Promise<TaskRecord | undefined> {
    this.#end();
    return this.#persist(record => {
      const left = alter(record);
      return left.run.lease ? withRun(left, { lease: undefined }) : left;
    });
  }

  async ask(request: InputRequest, timeoutMs?: number): Promise<InputResponse> {
    this.#throwIfStopped();
    if (timeoutMs !== undefined) this.#timeouts.set(request, timeoutMs);
    const answer = await this.round.ask(request);
    const error = errorIn(answer);
    if (error) throw error;
    return answer;
  }

  /** The time limit of a question that this run asks. */
  timeoutOf(question: InputRequest): number | undefined {
    return this.#timeouts.get(question);
  }

  async step<T>(name: string, run: () => Awaitable<T>): Promise<T> {
    this.#throwIfStopped();
    let hasRun = false;
    const result = await this.round.step(name, () => {
      hasRun = true;
      return run();
    });
    // The handler must not go on before the result is safe: what comes next may depend on it.
    if (hasRun) await this.#record(record => withRun(record, { journal: this.#journal(), attempts: 0 }));
    return result;
  }

  async once(): Promise<void> {
    this.#throwIfStopped();
    return this.round.once(number => this.#pass(number));
  }

  /** Lets a `ctx.once()` pass, unless an earlier run of the same round has passed it. */
  async #pass(number: number): Promise<void> {
    if (number < this.#start.passes) throw passedBefore();
    this.#passes++;
    if (!this.#held) return this.#options.original?.once();
    await this.#record(record => withRun(record, { passes: number + 1 }));
  }

  /** The token with which another process can finish the task. */
  async defer(): Promise<string> {
    this.#secret ??= crypto.randomUUID();
    this.#onDefer();
    if (!this.#held) await this.#options.promote?.();
    const record = await this.#record(current => withRun(current, { secret: this.#secret }));
    return writeToken(this.#options.store.server, record as TaskRecord);
  }

  notify(method: string, params: JsonObject): void {
    if (method === 'notifications/progress') this.#noteProgress(params);
    const { original } = this.#options;
    const isWanted =
      method !== 'notifications/progress' || readProgressToken(original?.meta ?? {}) !== undefined;
    if (!this.#held && isWanted) this.#below?.notify(method, params);
  }

  async redeem(): Promise<void> {
    // No client can send a round of a task again.
    if (!this.#held) await this.#options.original?.redeem();
  }

  /** A handler that returns while its questions are open has to run again, unless it reports a failure before it knew. */
  #unlessAsked(outcome: Outcome): Awaitable<Outcome> {
    const isFailure = outcome.kind === 'result' && (outcome.result as { isError?: unknown }).isError === true;
    const isSuspended =
      this.round.isEnding || (outcome.kind === 'error' && outcome.thrown instanceof RoundEnded);
    return isSuspended && (this.round.isClosed || !isFailure) ? this.#asked : outcome;
  }

  #stopped(): Promise<Outcome> {
    return new Promise(resolve => {
      const stop = () => {
        if (this.signal.reason !== ROUND_ENDED) resolve({ kind: 'stopped' });
      };
      this.#cancellation.onAbort = stop;
      if (this.#cancellation.aborted) stop();
    });
  }

  #throwIfStopped(): void {
    if (this.#cancellation.aborted) throw abortError(this.signal);
  }

  #end(): void {
    clearInterval(this.#renewal);
    clearTimeout(this.#messageTimer);
  }

  #journal(): readonly JournalEntry[] {
    return this.round.progress.journal;
  }

  #noteProgress({ progress, total, message }: JsonObject): void {
    const text = message ?? (total === undefined ? progress : `${progress} of ${total}`);
    this.#message = String(text).slice(0, MAX_STATUS_LENGTH);
    if (!this.#held || this.#messageTimer !== undefined || this.#cancellation.aborted) return;
    this.#messageTimer = inBackground(setTimeout(() => this.#writeProgress(), PROGRESS_MS));
    this.#writeProgress();
  }

  #writeProgress(): void {
    const message = this.#message;
    if (message === this.#held?.record.state.message) {
      this.#messageTimer = undefined;
      return;
    }
    // Progress that cannot be written is told with the next one.
    this.#change(record => withState(record, { message })).catch(() => {});
    this.#messageTimer = inBackground(setTimeout(() => this.#writeProgress(), PROGRESS_MS));
  }

  #renew(): void {
    const { leaseMs } = this.#options;
    // A node that cannot reach the store must assume that another one has the task.
    const stopIfOver = () => {
      if (performance.now() - this.#renewedAt > leaseMs)
        this.stop(new Cancelled('the task may belong to another node now: the lease could not be renewed'));
    };
    if (this.#isRenewing) return stopIfOver();
    this.#isRenewing = true;
    this.#change(record => withRun(record, { lease: this.#lease() }))
      .then(() => {
        this.#renewedAt = performance.now();
      }, stopIfOver)
      .finally(() => {
        this.#isRenewing = false;
      });
  }

  /** The lease of this run, beginning now. */
  #lease(): Lease {
    return leaseFor(this.id, this.#options.leaseMs);
  }

  /** Writes down what the handler did. Throws if the task is not ours any more, so that the handler stops. */
  async #record(alter: (record: TaskRecord) => TaskRecord): Promise<TaskRecord | undefined> {
    const record = await this.#persist(alter);
    if (!record) this.#throwIfStopped();
    return record;
  }

  /** Changes the record, however long it takes: a result must not be lost because the store is away for a moment. */
  async #persist(alter: (record: TaskRecord) => TaskRecord): Promise<TaskRecord | undefined> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.#change(alter);
      } catch (error) {
        const state = this.#held?.record.state;
        const isAway = error instanceof ClusterUnavailable;
        if (!isAway || !state || expiryOf(state) <= Date.now()) throw error;
        await new Promise(resolve => setTimeout(resolve, Math.min(50 * 2 ** tries, PROGRESS_MS)));
      }
    }
  }

  /** Changes the record, if the task has not ended and this run holds its lease. */
  #change(alter: (record: TaskRecord) => TaskRecord): Promise<TaskRecord | undefined> {
    const change = async () => {
      if (!this.#held) return undefined;
      const { id } = this.#held.record.state;
      let problem: string | undefined;
      const held = await this.#options.store.change(
        id,
        record => {
          problem = problemOf(record, this.id);
          return problem === undefined ? alter(record) : undefined;
        },
        this.#held,
      );
      if (held) this.#held = held;
      else problem = 'the task was forgotten';
      if (problem === undefined) return held?.record;
      this.stop(new Cancelled(problem));
      return undefined;
    };
    const changed = this.#writing.then(change);
    this.#writing = changed.then(
      () => {},
      () => {},
    );
    return changed;
  }
}

/** Why a run must not change a record; undefined if it may. */
function problemOf({ state, run }: TaskRecord, id: string): string | undefined {
  if (hasEnded(state)) return state.status === 'cancelled' ? 'the task was cancelled' : 'the task has ended';
  return run.lease?.run === id ? undefined : 'the task belongs to another node now';
}

function toOutcome(result: Result): Outcome {
  return isInputRequired(result) ? { kind: 'asked-by-hand', asked: result } : { kind: 'result', result };
}

function passedBefore(): McpError {
  return invalidParams(
    'the task has passed this ctx.once() before; its node was lost, and it may have acted then',
  );
}
