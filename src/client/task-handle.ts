import type { TaskStatus } from '../protocol/task.js';

/** A task as its server described it last, in the terms of the tasks extension. */
export interface Task {
  taskId: string;
  status: TaskStatus;
  /** What the server says about the state, for people. */
  statusMessage?: string;
  createdAt?: string;
  lastUpdatedAt?: string;
  /** Milliseconds after its creation when the server may forget it; null if it keeps it. */
  ttlMs: number | null;
  /** How often the server wants to be asked, in milliseconds. */
  pollIntervalMs?: number;
}

/** A task of a tool call. It is JSON: store it, and pass it to `resumeTask` in any process. */
export interface TaskHandle extends Task {
  /** The tool that was called. */
  tool: string;
  /** The keys of the questions that were answered: they are not asked again. */
  answered: string[];
}

/** How a call wants to be carried out: as a task or not, and how long the server is to keep it. */
export type TaskWish = boolean | { ttlMs?: number | undefined; resume?: TaskHandle | undefined };
