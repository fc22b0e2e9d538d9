import { ClusterUnavailable } from '../../src/server/cluster/index.js';
import {
  type EngineHandler,
  type EngineWorker,
  type EngineWorkOptions,
  type EnqueueOptions,
  inProcessEngine,
  type TaskEngine,
} from '../../src/server/tasks/index.js';

/** An engine whose queue outlives its process, and cannot be reached at times that a test chooses. */
export class LossyEngine implements TaskEngine {
  readonly isDurable = true;
  readonly #engine = inProcessEngine();
  /** Whether queueing a task fails. */
  losesTask: (options: EnqueueOptions) => boolean = () => false;
  /** The engine of the node that gets what is queued here; undefined for this one. */
  handsTo: LossyEngine | undefined;

  attach(server: string): void {
    this.#engine.attach(server);
  }

  async enqueue(taskId: string, options: EnqueueOptions = {}): Promise<void> {
    if (this.losesTask(options)) throw new ClusterUnavailable('the task could not be queued');
    await (this.handsTo ?? this).#engine.enqueue(taskId, options);
  }

  work(handler: EngineHandler, options: EngineWorkOptions): Promise<EngineWorker> {
    return this.#engine.work(handler, options);
  }

  close(): Promise<void> {
    return this.#engine.close();
  }
}
