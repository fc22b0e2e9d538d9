import { onAbort } from '../../base/abort.js';
import { Cancelled } from '../../base/errors.js';
import type { Result } from '../../protocol/call.js';
import { ERROR, McpError } from '../../protocol/errors.js';
import type { LocalService } from '../../protocol/service.js';
import type { Agreement } from '../../revisions/agreement.js';
import { type Charge, releaseAfter } from '../charge.js';
import { NoRoom } from '../ledger.js';
import type { MiddlewareCall, Next } from '../middleware.js';
import { conclude } from './conclude.js';
import type { TaskEvents } from './events.js';
import type { Leases } from './leases.js';
import type { TaskMemory } from './memory.js';
import { ownerOf } from './owner.js';
import type { RunState } from './record.js';
import { answerWith, resume } from './resume.js';
import { type Outcome, TaskRun } from './run.js';
import { showHandle } from './show-handle.js';
import type { Held, TaskStore } from './store.js';
import { toRequest } from './to-request.js';
import type { TaskWorker } from './worker.js';

export interface AttemptOptions {
  readonly store: TaskStore;
  readonly events: TaskEvents;
  readonly leases: Leases;
  readonly worker: TaskWorker;
  readonly memory: TaskMemory;
  readonly leaseMs: number;
  readonly service: LocalService;
}

/** A call that becomes a task if it takes too long, or if its handler defers the work. */
export class Attempt {
  readonly #call: MiddlewareCall;
  readonly #options: AttemptOptions;
  readonly #store: (run: RunState, message: string | undefined) => Promise<Held>;
  readonly #agreement: Agreement;
  readonly #run: TaskRun;
  #outcome: Outcome | undefined;
  /** The task, once it is being created; undefined inside if that was not possible. */
  #created: Promise<Held | undefined> | undefined;

  constructor(
    call: MiddlewareCall,
    options: AttemptOptions,
    store: (run: RunState, message: string | undefined) => Promise<Held>,
  ) {
    const { store: tasks, worker, leaseMs } = options;
    const request = toRequest(call);
    this.#call = call;
    this.#options = options;
    this.#store = store;
    this.#agreement = worker.agreementOf(request);
    this.#run = new TaskRun(request, resume(call), {
      store: tasks,
      agreement: this.#agreement,
      leaseMs,
      warn: call.warn.bind(call),
      original: call,
      promote: async () => {
        if (!(await this.#create()))
          throw new McpError(ERROR.internal, 'no task could be created, so none can be deferred');
      },
    });
  }

  /** Runs the handler. The result is that of the handler, or a task. */
  async run(next: Next, afterMs: number): Promise<Result> {
    const run = this.#run;
    const stopListening = onAbort(this.#call.signal, () =>
      run.stop(new Cancelled('the client cancelled the request')),
    );
    const running = run
      .run(() => next({ replace: below => run.standIn(below) }))
      .then(outcome => {
        this.#outcome = outcome;
        return outcome;
      });
    await this.#whileQuick(running, afterMs);
    const created = this.#outcome ? await this.#created : await this.#create();
    stopListening();
    if (!created) return answerWith(await running, run);
    this.#detach(created, running);
    return showHandle(created.record.state, 'extension');
  }

  /** Resolves when the handler has ended, or defers, or the time is over. */
  async #whileQuick(running: Promise<Outcome>, afterMs: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const isOver = new Promise<void>(resolve => {
      timer = setTimeout(resolve, afterMs);
    });
    await Promise.race([running, this.#run.whenDeferred, isOver]);
    clearTimeout(timer);
  }

  #create(): Promise<Held | undefined> {
    this.#created ??= this.#promote();
    return this.#created;
  }

  /** Makes a task of the running call. Undefined if that is not possible now: then the client waits for the result. */
  async #promote(): Promise<Held | undefined> {
    const { leases, worker, events, memory, service } = this.#options;
    const run = this.#run;
    let held: Held | undefined;
    let charge: Charge | undefined;
    try {
      charge = memory.charge(ownerOf(this.#call), toRequest(this.#call), run.progress);
      await events.start();
      const lease = leases.grant(run.id);
      held = await this.#store({ ...run.progress, lease, attempts: 1, isTentative: true }, run.message);
      // If this node is lost, the task has to come up again.
      await worker.queueForLater(held.record.state.id);
      if (!this.#outcome || run.isDeferred) {
        await run.confirm(held);
        // Unless the client has cancelled the request meanwhile.
        if (this.#outcome?.kind !== 'stopped') {
          releaseAfter(run.handled, charge);
          return held;
        }
      }
    } catch (error) {
      if (!(error instanceof NoRoom)) service.report(error, 'a call that could not become a task');
    }
    charge?.release();
    // The client does not know of the task. What cannot be removed now is removed when its lease is over.
    if (held) await this.#options.store.remove(held.record.state.id).catch(() => {});
    return undefined;
  }

  /** Lets the handler go on without the request of the client. */
  #detach({ record }: Held, running: Promise<Outcome>): void {
    const { worker, service } = this.#options;
    const stopFollowing = worker.follow(record.state.id, this.#run);
    const ended = running
      .then(outcome => {
        stopFollowing();
        return conclude(this.#run, outcome, worker.concluding(this.#agreement));
      })
      .catch(error => service.report(error, 'the end of a task'))
      .finally(stopFollowing);
    worker.adopt(this.#run, ended);
  }
}
