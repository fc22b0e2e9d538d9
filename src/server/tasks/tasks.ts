import { UsageError } from '../../base/errors.js';
import { checkOptions, type OptionNames } from '../../base/options.js';
import { type LocalService, SERVICE } from '../../protocol/service.js';
import { TASKS_ID } from '../../protocol/task.js';
import { taskDialect } from '../../revisions/tasks.js';
import type { Cluster } from '../cluster/cluster.js';
import { type Extension, type ExtensionHost, INSTALL } from '../extension.js';
import { extension } from '../extensions/define.js';
import { notice } from '../extensions/notices.js';
import { type NodeTasks, nodeOf, type TaskWork } from '../node-settings.js';
import type { Server } from '../server.js';
import { checkMode } from './admission.js';
import { inProcessEngine, type TaskEngine } from './engine.js';
import { MAX_LISTENED_TASKS } from './limits.js';
import { taskMethods } from './methods.js';
import { ServerTasks } from './server-tasks.js';

/** Options of `tasks`. */
export interface TasksOptions {
  /**
   * Where tasks are kept: the cluster of `listen`, or of another function that serves or works, if not set. Without any
   * they are kept in this process, and lost with it.
   */
  cluster?: Cluster | undefined;
  /** What runs tasks. Without one they run in the process that created them, or in another one of the cluster. */
  engine?: TaskEngine | undefined;
  /** How long a task and its result are kept, from its creation: an hour by default. */
  ttlMs?: number | undefined;
  /** The longest time that a client of 2025-11-25 can ask for: a day by default. */
  maxTtlMs?: number | undefined;
  /**
   * How many tasks a principal may have, with those that have ended and are kept: 1,000 by default. All callers that are not
   * authenticated count as one, which may have 10,000 by default.
   */
  maxTasks?: number | undefined;
  /** The largest result: 1 MiB by default. A task with a larger one fails. */
  maxResultBytes?: number | undefined;
  /** After how long another node takes over the work of one that is gone: 15 seconds by default. */
  leaseMs?: number | undefined;
  /** How many tasks this node works on at once: 100 by default; 0 as with `work: false` of `listen`. */
  concurrency?: number | undefined;
}

/** The tasks of a server, as an extension for its constructor. */
export interface TasksExtension extends Extension, TaskWork {}

const TASKS_OPTIONS: OptionNames<TasksOptions> = {
  cluster: 'an object',
  engine: 'an object',
  ttlMs: 1,
  maxTtlMs: 1,
  maxTasks: 1,
  maxResultBytes: 1,
  leaseMs: 1,
  concurrency: 1,
};

/** Whether a client must have declared the extension for a part of it, by how its revision knows tasks. */
const NEEDS_CLIENT: Readonly<Record<'core' | 'extension', ReadonlyMap<string, boolean>>> = {
  core: new Map([
    ['tasks/get', false],
    ['tasks/cancel', false],
    ['tasks/result', false],
    ['tasks/list', false],
    ['notifications/tasks/status', false],
  ]),
  extension: new Map([
    ['tasks/get', true],
    ['tasks/cancel', true],
    ['tasks/update', true],
    ['task', true],
    ['taskIds', true],
    ['notifications/tasks', true],
  ]),
};

/**
 * Lets calls of tools become tasks: a client gets a handle at once, and the result later. The tools say which of them do,
 * with their option `task`; their handlers are ordinary ones.
 *
 * @example
 * const bakery = new Server({ name: 'bakery', version: '1.0.0' }, { extensions: [tasks()] });
 * bakery.tool('bake', { task: 'auto' }, async (_, ctx) => {
 *   const bread = await ctx.step('bake', () => oven.bake(ctx.signal));
 *   ctx.progress(1, { total: 2, message: 'it is out of the oven' });
 *   return bread;
 * });
 *
 * @see https://github.com/modelcontextprotocol/ext-tasks/blob/main/specification/draft/tasks.md
 */
export function tasks(options: TasksOptions = {}): TasksExtension {
  checkTasksOptions(options);
  const { engine = inProcessEngine() } = options;
  let host: ExtensionHost | undefined;
  let created: ServerTasks | undefined;
  // Not before it is needed, because the doors of the server may bring the cluster.
  const own = () => {
    if (!host)
      throw new UsageError('give the tasks to a server first: new Server(info, { extensions: [tasks()] })');
    created ??= new ServerTasks(host, options, engine);
    return created;
  };
  const made = extension({
    id: TASKS_ID,
    needsClient: (part, revision) => {
      const dialect = taskDialect(revision);
      return dialect && NEEDS_CLIENT[dialect].get(part);
    },
    methods: taskMethods(() => own().parts),
    sends: ['notifications/tasks/status'],
    resultTypes: ['task'],
    notices: {
      taskIds: notice('notifications/tasks', {
        filter: { type: 'array', items: { type: 'string' }, maxItems: MAX_LISTENED_TASKS },
        wants: (ids, { taskId }) => ids.includes(taskId as string),
        accept: async (ids, caller) => {
          const { store, events, mayUse } = own().parts;
          await events.start();
          const asker = { caller, session: undefined };
          const found = await Promise.all(
            ids.map(async id => {
              const record = (await store.read(id))?.record;
              return record !== undefined && mayUse(record, asker);
            }),
          );
          const accepted = ids.filter((_, at) => found[at]);
          for (const id of accepted) events.listened(id);
          return accepted;
        },
      }),
    },
    middleware: [{ name: 'tasks', request: (call, next) => own().request(call, next) }],
  });
  const control: NodeTasks = {
    start: () => own().start(),
    close: async () => created?.close(),
    missing: () => own().missing(),
  };
  return {
    ...made,
    [INSTALL](server) {
      if (host) throw new UsageError('each server needs tasks of its own: call tasks() again');
      engine.attach((server.server as Server).info.name);
      host = server;
      server.checkTasks(checkMode);
      nodeOf(serviceOf(server)).tasks = control;
      made[INSTALL](server);
    },
    start: control.start,
    close: control.close,
  };
}

function serviceOf({ server }: ExtensionHost): LocalService {
  return (server as Server)[SERVICE];
}

function checkTasksOptions(options: TasksOptions): void {
  checkOptions(options, TASKS_OPTIONS, 'tasks');
  for (const name of ['ttlMs', 'maxTtlMs', 'maxTasks', 'maxResultBytes', 'leaseMs'] as const) {
    const { [name]: value = 1 } = options;
    if (!(Number.isSafeInteger(value) && value > 0))
      throw new UsageError(`${name} of tasks must be a whole number, 1 or more, but is ${value}`);
  }
  const { concurrency = 0 } = options;
  if (!(Number.isSafeInteger(concurrency) && concurrency >= 0))
    throw new UsageError(`concurrency of tasks must be a whole number, 0 or more, but is ${concurrency}`);
}
