import type { JsonObject } from '../base/json.js';
import type { OptionNames } from '../base/options.js';
import type { CacheMode } from './cache.js';
import type { RequestOptions } from './link.js';
import type { TaskHandle, TaskWish } from './task-handle.js';

/** Options of a single request. */
export interface CallOptions extends RequestOptions {
  /** How this request uses the cache. */
  cacheMode?: CacheMode | undefined;
  /** `_meta` of the request. */
  meta?: JsonObject | undefined;
  /**
   * Whether a tool is to run as a task, where clients can ask for that (2025-11-25); elsewhere the server decides. Needs
   * `tasksClient()` of `tenon/tasks/client`. By default only tools that run in no other way do; with `false` none.
   */
  task?: TaskWish | undefined;
  /**
   * Called when a tool has become a task, and each time its status, its message or the answered questions change, with its
   * handle, which is JSON: store the latest one, and `resumeTask` goes on with it in any process. Needs `tasksClient()`.
   */
  onTask?: ((task: TaskHandle) => void) | undefined;
}

export const CALL_OPTIONS: OptionNames<CallOptions> = {
  timeoutMs: 'a number, 0 or more',
  maxTimeoutMs: 'a number, 0 or more',
  signal: 'an AbortSignal',
  onProgress: 'a function',
  headers: 'an object',
  cacheMode: 1,
  meta: 'an object',
  task: 1,
  onTask: 'a function',
};
