export { type ErrorKind, TenonError, UsageError } from '../../base/errors.js';
export type { TaskControl, TaskMode } from '../../protocol/task.js';
export { TASKS_ID } from '../../protocol/task.js';
export type { TaskWork } from '../node-settings.js';
export { completeTask, failTask, updateTask } from './by-hand.js';
export {
  type EngineHandler,
  type EngineRun,
  type EngineWorker,
  type EngineWorkOptions,
  type EnqueueOptions,
  type GivenUp,
  inProcessEngine,
  type TaskEngine,
} from './engine.js';
export { type TasksExtension, type TasksOptions, tasks } from './tasks.js';
export { taskWorkOf, type Working, type WorkOptions, work } from './work.js';
