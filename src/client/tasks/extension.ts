import { UsageError } from '../../base/errors.js';
import { isObject, type JsonObject } from '../../base/json.js';
import { ERROR, McpError } from '../../protocol/errors.js';
import { InvalidAnswer } from '../../protocol/failures.js';
import { TASKS_ID } from '../../protocol/task.js';
import type { CallContext, ClientExtension, OwnCall } from '../extension.js';
import type { TaskHandle } from '../task-handle.js';
import { CORE_DIALECT } from './core-dialect.js';
import { CoreMessages } from './core-messages.js';
import type { ServerDialect } from './dialect.js';
import { EXTENSION_DIALECT } from './extension-dialect.js';
import { Follower } from './follow.js';
import { MAX_LISTENING } from './limits.js';
import { checkTasksOptions, type TasksClientOptions } from './options.js';
import { readHandle } from './read-handle.js';
import { readTask } from './read-task.js';
import { runsToolsAsTasks, TaskSupport } from './task-support.js';

/**
 * Lets a client follow tasks: `callTool` then goes on until the task has ended, answers its questions, and cancels it when
 * its `signal` aborts. It works with the tasks extension, and with the tasks of 2025-11-25.
 *
 * @example
 * const client = await connect(url, { extensions: [tasksClient()], onElicit: form => askTheUser(form) });
 * const { content } = await client.callTool('render', { scene: 'kitchen' }, { onTask: task => store(task) });
 *
 * @see https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/draft/tasks.md
 */
export function tasksClient(options: TasksClientOptions = {}): ClientExtension {
  checkTasksOptions(options);
  const tasks = new ClientTasks(options);
  return {
    id: TASKS_ID,
    resultTypes: { task: { check: value => ({ value }), handler: refuseElsewhere } },
    notices: { taskIds: 'notifications/tasks' },
    calls: { 'tools/call': tasks.callTool },
    middleware: [tasks.messages.layer],
  };
}

/** Only calls of tools become tasks. */
function refuseElsewhere(result: JsonObject, { method }: { method: string }): JsonObject {
  if (method === 'tools/call') return result;
  throw new InvalidAnswer(`${method} was answered with a task, and only calls of tools can be`);
}

/** What is known of one client. */
interface Known {
  readonly support: TaskSupport;
  listening: number;
}

class ClientTasks {
  readonly messages = new CoreMessages();
  readonly #options: TasksClientOptions;
  /** An extension can be given to several clients; this signal is another one for each of them. */
  readonly #known = new WeakMap<AbortSignal, Known>();

  constructor(options: TasksClientOptions) {
    this.#options = options;
  }

  readonly callTool: OwnCall = async (call, next) => {
    const { task: wish } = call.options;
    const resumed = isObject(wish) ? wish.resume : undefined;
    if (resumed) {
      const dialect = runsToolsAsTasks(call.description) ? CORE_DIALECT : EXTENSION_DIALECT;
      return this.#follow(call, dialect, readHandle(resumed), false);
    }
    if (call.params.task !== undefined) await this.#checkSupport(call);
    const asks = await this.#asksForTask(call);
    const result = await this.#begin(call, next, asks);
    if (result.resultType === 'task')
      return this.#follow(call, EXTENSION_DIALECT, created(call, result), true);
    // A server that was asked for a task may do the work at once all the same.
    if (!isObject(result.task)) return result;
    return this.#follow(call, CORE_DIALECT, created(call, result.task), true);
  };

  /** Whether the call asks for a task. If the server says that it must, or must not, the tools are listed again. */
  async #asksForTask(call: CallContext): Promise<boolean> {
    const { task: wish } = call.options;
    if (!runsToolsAsTasks(call.description)) return false;
    const support = await this.#stateOf(call).support.of(call);
    if (wish === false && support === 'required')
      throw new UsageError(`the tool ${call.params.name} only runs as a task: leave out task: false`);
    if (wish === false) return false;
    return support === 'required' || (support === 'optional' && wish !== undefined);
  }

  /** The author asks for a task by hand. */
  async #checkSupport(call: CallContext): Promise<void> {
    if (!runsToolsAsTasks(call.description)) return;
    const support = await this.#stateOf(call).support.of(call);
    if (support === 'required' || support === 'optional') return;
    throw new UsageError(`the tool ${call.params.name} does not run as a task: leave out \`task\``);
  }

  async #begin(call: CallContext, next: Parameters<OwnCall>[1], asks: boolean): Promise<JsonObject> {
    const send = (asTask: boolean) => (asTask ? this.messages.ask(call, next) : next());
    try {
      return await send(asks);
    } catch (error) {
      if (!isMethodNotFound(error) || !runsToolsAsTasks(call.description)) throw error;
      this.#stateOf(call).support.forget();
      const asksNow = await this.#asksForTask(call);
      if (asksNow === asks) throw error;
      return send(asksNow);
    }
  }

  async #follow(
    call: CallContext,
    dialect: ServerDialect,
    handle: TaskHandle,
    isNew: boolean,
  ): Promise<JsonObject> {
    const state = this.#stateOf(call);
    const { listen = true } = this.#options;
    const listens = listen && dialect.hasNotices && state.listening < MAX_LISTENING;
    const follower = new Follower(call, dialect, handle, this.#options);
    if (listens) state.listening++;
    this.messages.followers.add(follower);
    try {
      return await follower.follow({ isNew, listens });
    } finally {
      this.messages.followers.delete(follower);
      this.messages.end(call);
      if (listens) state.listening--;
    }
  }

  #stateOf({ closing }: CallContext): Known {
    const known = this.#known.get(closing) ?? { support: new TaskSupport(), listening: 0 };
    this.#known.set(closing, known);
    return known;
  }
}

function created({ params }: CallContext, described: JsonObject): TaskHandle {
  return { ...readTask(described, 'tools/call'), tool: String(params.name), answered: [] };
}

/** The answer of servers to a call that should have been a task, or should not. */
function isMethodNotFound(error: unknown): boolean {
  return error instanceof McpError && error.code === ERROR.methodNotFound;
}
