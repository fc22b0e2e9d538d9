import type { JsonObject } from '../../base/json.js';
import type { ClientDescription } from '../../protocol/call.js';
import type { Caller } from '../../protocol/caller.js';
import type { InputRequest, InputResponse } from '../../protocol/input.js';
import type { TaskStatus } from '../../protocol/task.js';
import type { JournalEntry } from '../rounds/journal.js';
import { MAX_STATUS_LENGTH } from './limits.js';

/**
 * A task as it is kept in the cluster: one value, which is only changed by compare-and-set. Most requests about a task need
 * only its state, so its other parts are parsed when they are needed, and written again only when they were changed.
 */
export class TaskRecord {
  readonly #state: Part<Omit<TaskState, 'result'>>;
  readonly #result: Part<JsonObject | null>;
  readonly #run: Part<RunState>;
  readonly #request: Part<TaskRequest>;
  #shown: TaskState | undefined;

  private constructor(
    state: Part<Omit<TaskState, 'result'>>,
    result: Part<JsonObject | null>,
    run: Part<RunState>,
    request: Part<TaskRequest>,
  ) {
    this.#state = state;
    this.#result = result;
    this.#run = run;
    this.#request = request;
  }

  static create(state: TaskState, run: RunState, request: TaskRequest): TaskRecord {
    return new TaskRecord(Part.of(state), NO_RESULT, Part.of(run), Part.of(request));
  }

  static parse(text: string): TaskRecord {
    // JSON in one line has no line breaks.
    const [state = '', result = '', run = '', request = ''] = text.split('\n');
    return new TaskRecord(Part.read(state), Part.read(result), Part.read(run), Part.read(request));
  }

  /** What its clients see. */
  get state(): TaskState {
    this.#shown ??= withResult(this.#state.value, this.#result);
    return this.#shown;
  }

  /** What its clients see, as JSON: the state in the first line, the result in the second one. */
  get news(): string {
    return `${this.#state.text}\n${this.#result.text}`;
  }

  /** Reads what `news` has written. */
  static parseNews(text: string): TaskState {
    const [state = '', result = ''] = text.split('\n');
    return withResult(Part.read<Omit<TaskState, 'result'>>(state).value, Part.read(result));
  }

  /** The length of the result as UTF-8. */
  get resultBytes(): number {
    return new TextEncoder().encode(this.#result.text).length;
  }

  /** How far its handler has come, and which node runs it. */
  get run(): RunState {
    return this.#run.value;
  }

  /** The call that became the task. */
  get request(): TaskRequest {
    return this.#request.value;
  }

  /** The record as it is kept. */
  get text(): string {
    return `${this.news}\n${this.#run.text}\n${this.#request.text}`;
  }

  /** The length of its text without the result, which has a limit of its own. */
  get ownLength(): number {
    return this.#state.text.length + this.#run.text.length + this.#request.text.length;
  }

  with(changes: { state?: TaskState; run?: RunState; request?: TaskRequest }): TaskRecord {
    const { state, run, request } = changes;
    const { result = null, ...rest } = state ?? {};
    return new TaskRecord(
      state ? Part.of({ ...(rest as TaskState), failure: failureIn(result) }) : this.#state,
      state ? Part.ofResult(result) : this.#result,
      run ? Part.of(run) : this.#run,
      request ? Part.of(request) : this.#request,
    );
  }

  /** The record of a task that has ended: its arguments and its journal have done their work, and may be large. */
  withoutWork(): TaskRecord {
    return new TaskRecord(this.#state, this.#result, NO_RUN, NO_REQUEST);
  }
}

/** The result is parsed only when it is used. */
function withResult(state: Omit<TaskState, 'result'>, result: Part<JsonObject | null>): TaskState {
  if (result.text === 'null') return state;
  return {
    ...state,
    get result() {
      return result.value as JsonObject;
    },
  };
}

/** A value and its JSON, each of which is made of the other one when it is first needed. */
class Part<T> {
  #value: T | undefined;
  #text: string | undefined;

  private constructor(value: T | undefined, text: string | undefined) {
    this.#value = value;
    this.#text = text;
  }

  static of<T>(value: T): Part<T> {
    return new Part<T>(value, undefined);
  }

  static ofResult(result: JsonObject | null): Part<JsonObject | null> {
    return result ? new Part<JsonObject | null>(result, undefined) : NO_RESULT;
  }

  static read<T>(text: string): Part<T> {
    return new Part<T>(undefined, text);
  }

  get value(): T {
    this.#value ??= JSON.parse(this.#text as string) as T;
    return this.#value;
  }

  get text(): string {
    this.#text ??= JSON.stringify(this.#value);
    return this.#text;
  }
}

/** The first text of a result that reports a failure, which may be empty; undefined for other results. */
function failureIn(result: JsonObject | null): string | undefined {
  if (result?.isError !== true) return undefined;
  const [first] = Array.isArray(result.content) ? result.content : [];
  const { text } = (first ?? {}) as { text?: unknown };
  return typeof text === 'string' ? text.slice(0, MAX_STATUS_LENGTH) : '';
}

export interface TaskState {
  readonly id: string;
  readonly owner: Owner;
  /** The name of the tool. */
  readonly tool: string;
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
  /** The text of a result that reports a failure. It is known without the result, which may be large. */
  readonly failure?: string | undefined;
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
  /**
   * Whether it was given to the node that creates the task, for the first run that its engine gives to a node. It counts
   * as begun, because that node tells nobody when it begins. If the engine gives the first run to another node, that one
   * has the lease.
   */
  readonly isReserved?: boolean | undefined;
}

/** A new task. */
export function createRecord(
  request: TaskRequest,
  owner: Owner,
  options: { ttlMs: number; run?: Partial<RunState>; message?: string | undefined },
): TaskRecord {
  const now = Date.now();
  const state = {
    // 122 random bits: for callers that are not authenticated, the id is the only protection.
    id: crypto.randomUUID(),
    owner,
    tool: String(request.params.name),
    status: 'working',
    message: options.message,
    createdAt: now,
    updatedAt: now,
    ttlMs: options.ttlMs,
    sequence: 1,
  } as const;
  return TaskRecord.create(state, { ...NOT_BEGUN, ...options.run }, request);
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
  return record.with({ state: { ...state, ...changes, updatedAt: Date.now(), sequence } });
}

export function withRun(record: TaskRecord, changes: Partial<RunState>): TaskRecord {
  return record.with({ run: { ...record.run, ...changes } });
}

export function withEnd(record: TaskRecord, changes: Partial<TaskState>): TaskRecord {
  return withState(record, { questions: undefined, ...changes }).withoutWork();
}

/** A handler that has not begun. */
export const NOT_BEGUN: RunState = { journal: [], passesBefore: 0, passes: 0, attempts: 0 };

const NO_RESULT = Part.of<JsonObject | null>(null);
const NO_RUN = Part.of(NOT_BEGUN);
const NO_REQUEST = Part.of<TaskRequest>({
  params: {},
  meta: {},
  revision: '',
  client: { info: undefined, capabilities: {} },
  caller: undefined,
});
