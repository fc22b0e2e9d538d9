import { ClusterUnavailable } from '../../src/server/cluster/index.js';
import {
  type EngineHandler,
  type EngineWorker,
  type EngineWorkOptions,
  inProcessEngine,
  type TaskEngine,
} from '../../src/server/tasks/index.js';

/** An engine whose queue outlives its process, and cannot be reached at times that a test chooses. */
export class LossyEngine implements TaskEngine {
  readonly isDurable = true;
  readonly #engine = inProcessEngine();
  /** Whether queueing a task fails. */
  losesTask: (options: { delayMs?: number | undefined }) => boolean = () => false;

  attach(server: string): void {
    this.#engine.attach(server);
  }

  async enqueue(taskId: string, options: { delayMs?: number | undefined } = {}): Promise<void> {
    if (this.losesTask(options)) throw new ClusterUnavailable('the task could not be queued');
    await this.#engine.enqueue(taskId, options);
  }

  work(handler: EngineHandler, options: EngineWorkOptions): Promise<EngineWorker> {
    return this.#engine.work(handler, options);
  }

  close(): Promise<void> {
    return this.#engine.close();
  }
}
