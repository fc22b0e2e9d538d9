import type { JsonObject } from '../../base/json.js';
import type { ClientDescription } from '../../protocol/call.js';
import type { Caller } from '../../protocol/caller.js';
import type { InputRequest, InputResponse } from '../../protocol/input.js';
import type { TaskStatus } from '../../protocol/task.js';
import type { JournalEntry } from '../rounds/journal.js';

/** A task as it is kept in the cluster: one JSON value, which is only changed by compare-and-set. */
export interface TaskRecord {
  /** What its clients see. */
  readonly state: TaskState;
  /** The call that became the task. */
  readonly request: TaskRequest;
  /** How far its handler has come, and which node runs it. */
  readonly run: RunState;
}

export interface TaskState {
  readonly id: string;
  readonly owner: Owner;
  readonly status: TaskStatus;
  readonly message?: string | undefined;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly ttlMs: number;
  /** Grows with each change, so that notices which overtook each other can be told apart. */
  readonly sequence: number;
  /** The questions that have no answer yet, by their keys. */
  readonly questions?: Readonly<Record<string, InputRequest>> | undefined;
  readonly result?: JsonObject | undefined;
  readonly error?: { code: number; message: string; data?: unknown } | undefined;
}

/**
 * Who may use a task: a principal, the clients of pipes, which belong to one user, or everybody who knows its id, if
 * the caller was not authenticated.
 */
export type Owner = { readonly principal: string } | 'pipe' | 'anyone';

export interface TaskRequest {
  readonly params: JsonObject;
  readonly meta: JsonObject;
  readonly revision: string;
  readonly client: ClientDescription;
  readonly caller: Caller | undefined;
}

export interface RunState {
  /** The answers and the results of steps. */
  readonly journal: readonly JournalEntry[];
  /** How often `ctx.once()` was called before the current round, and how often in all. */
  readonly passesBefore: number;
  readonly passes: number;
  /** The questions that the handler returned by hand, and its own state. */
  readonly byHand?: AskedByHand | undefined;
  /** The node that runs the handler, and until when no other node may; undefined if none does. */
  readonly lease?: Lease | undefined;
  /** How often a node began to run it since it last came further. */
  readonly attempts: number;
  /** The secret with which another process may finish the task. */
  readonly secret?: string | undefined;
  /** When open questions expire that have a time limit, by their keys. */
  readonly deadlines?: Readonly<Record<string, Deadline>> | undefined;
  /**
   * Whether the call of the task may still be answered without a handle, because the rest of its journal is not stored
   * yet. Such a task is not run by another node: its client would never know, and steps would run twice.
   */
  readonly isTentative?: boolean | undefined;
  /** Whether the handler has left the task to another process. */
  readonly isDeferred?: boolean | undefined;
}

export interface Deadline {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The time limit that the handler set. */
  readonly timeoutMs: number;
}

export interface AskedByHand {
  readonly state?: string | undefined;
  /** The names of the questions by their keys: keys are never used twice, names may be. */
  readonly names: Readonly<Record<string, string>>;
  readonly answers: Readonly<Record<string, InputResponse>>;
}

export interface Lease {
  /** Different for every run, so that a node which was replaced cannot write any more. */
  readonly run: string;
  /** Milliseconds since 1970. */
  readonly until: number;
}

/** A new task. */
export function createRecord(
  request: TaskRequest,
  owner: Owner,
  options: { ttlMs: number; run?: Partial<RunState>; message?: string | undefined },
): TaskRecord {
  const now = Date.now();
  return {
    state: {
      // 122 random bits: for callers that are not authenticated, the id is the only protection.
      id: crypto.randomUUID(),
      owner,
      status: 'working',
      message: options.message,
      createdAt: now,
      updatedAt: now,
      ttlMs: options.ttlMs,
      sequence: 1,
    },
    request,
    run: { journal: [], passesBefore: 0, passes: 0, attempts: 0, ...options.run },
  };
}

/** Whether a task has ended, so that nothing changes it any more. */
export function hasEnded({ status }: Pick<TaskState, 'status'>): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled';
}

/** When a task is forgotten, in milliseconds since 1970. */
export function expiryOf({ createdAt, ttlMs }: TaskState): number {
  return createdAt + ttlMs;
}

/** A record whose clients see something new. */
export function withState(record: TaskRecord, changes: Partial<TaskState>): TaskRecord {
  const { state } = record;
  const sequence = state.sequence + 1;
  return { ...record, state: { ...state, ...changes, updatedAt: Date.now(), sequence } };
}

export function withRun(record: TaskRecord, changes: Partial<RunState>): TaskRecord {
  return { ...record, run: { ...record.run, ...changes } };
}
