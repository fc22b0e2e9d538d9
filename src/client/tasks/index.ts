export { type ErrorKind, TenonError, UsageError } from '../../base/errors.js';
export type { TaskStatus } from '../../protocol/task.js';
export type { ClientExtension } from '../extension.js';
export type { Task, TaskHandle, TaskWish } from '../task-handle.js';
export { tasksClient } from './extension.js';
export { cancelTask, type DetailedTask, getTask, listTasks } from './list.js';
export { TaskLost } from './lost.js';
export type { TasksClientOptions } from './options.js';
export { resumeTask } from './resume.js';
