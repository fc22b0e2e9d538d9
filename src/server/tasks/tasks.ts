import { UsageError } from '../../base/errors.js';
import { checkOptions, type OptionNames } from '../../base/options.js';
import { type LocalService, SERVICE } from '../../protocol/service.js';
import type { TaskMode } from '../../protocol/task.js';
import { TASKS_ID } from '../../protocol/task.js';
import { taskDialect } from '../../revisions/tasks.js';
import type { Cluster } from '../cluster/cluster.js';
import { memoryCluster } from '../cluster/memory.js';
import { type Extension, type ExtensionHost, INSTALL } from '../extension.js';
import { extension } from '../extensions/define.js';
import { notice } from '../extensions/notices.js';
import { warnLocal } from '../local-only.js';
import type { Middleware } from '../middleware.js';
import { type NodeTasks, nodeOf, type TaskWork } from '../node-settings.js';
import type { Server } from '../server.js';
import { Admission, checkMode } from './admission.js';
import { declareTasks } from './declare.js';
import { inProcessEngine, type TaskEngine } from './engine.js';
import { TaskEvents } from './events.js';
import { Leases } from './leases.js';
import {
  CONCURRENCY,
  LEASE_MS,
  MAX_ANONYMOUS_TASKS,
  MAX_LISTENED_TASKS,
  MAX_RESULT_BYTES,
  MAX_TASK_TTL_MS,
  MAX_TASKS,
  TASK_TTL_MS,
} from './limits.js';
import { TaskMemory } from './memory.js';
import { type MethodOptions, taskMethods } from './methods.js';
import { type Asker, isSameOwner, ownerOf } from './owner.js';
import type { TaskRecord } from './record.js';
import { TaskStore } from './store.js';
import { TaskWorker } from './worker.js';

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
  cluster: 1,
  engine: 1,
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
    created ??= createTasks(host, options, engine);
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

interface ServerTasks {
  readonly parts: MethodOptions;
  readonly request: Extract<Middleware, (...args: never[]) => unknown>;
  start(): Promise<void>;
  missing(): string | undefined;
  close(): Promise<void>;
}

/** What a process that only works cannot do without. */
const NEEDS = {
  cluster:
    'a process that only works needs the cluster in which the others keep their tasks. Give it to work(server, { cluster }); ' +
    'for tenon serve --worker, write `export const options = { cluster }` into the file',
  engine:
    'a process that only works needs an engine with a queue that all processes share: tasks({ engine: bullmq({ url }) }). ' +
    'Without one, each process queues its own tasks, and runs them itself',
  hands:
    'this process is to work, and not to work: remove `concurrency: 0` from tasks(), or `work: false` from the options ' +
    'of the server',
} as const;

function createTasks(host: ExtensionHost, options: TasksOptions, engine: TaskEngine): ServerTasks {
  const service = serviceOf(host);
  const node = nodeOf(service);
  const { cluster = node.cluster, leaseMs = LEASE_MS } = options;
  const { ttlMs = TASK_TTL_MS, maxTtlMs = MAX_TASK_TTL_MS, maxTasks = MAX_TASKS } = options;
  const { concurrency = CONCURRENCY, maxResultBytes = MAX_RESULT_BYTES } = options;
  const server = host.server as Server;
  const recovers = !engine.isDurable;
  const store = new TaskStore(cluster ?? memoryCluster(), server.info.name, {
    // Without a cluster, no other node could take a task over.
    hasIndex: recovers && cluster !== undefined,
    onCreate: () => {
      if (!cluster && (node.hasKeys || node.cluster)) warnLocal(service, 'tasks');
    },
  });
  const events = new TaskEvents({ store, server, service, isShared: cluster !== undefined });
  const leases = new Leases(leaseMs);
  const memory = new TaskMemory();
  const worker = new TaskWorker({
    store,
    events,
    engine,
    leases,
    memory,
    leaseMs,
    concurrency,
    works: () => node.works !== false,
    maxResultBytes,
    recovers,
    service,
  });
  const modeOf = (name: unknown): TaskMode | undefined => {
    const tool = typeof name === 'string' ? host.tools.get(name) : undefined;
    return tool && (tool.task ?? 'never');
  };
  const admission = new Admission({
    store,
    events,
    engine,
    leases,
    memory,
    worker,
    leaseMs,
    ttlMs,
    maxTtlMs,
    // Callers that are not authenticated count as one.
    limitFor: owner => (owner === 'anyone' ? (options.maxTasks ?? MAX_ANONYMOUS_TASKS) : maxTasks),
    modeOf,
    service,
  });
  const start = async () => {
    await events.start();
    await worker.start();
  };
  // Only with one of these can there be tasks that this node did not create.
  const isShared = cluster !== undefined || options.engine !== undefined;
  let starting: Promise<void> | undefined;
  let isClosed = false;
  const startInBackground = () => {
    if (!isShared || isClosed) return;
    starting ??= start().catch(error => {
      service.report(error, 'the start of tasks');
      starting = undefined;
    });
  };
  const mayUse = async (record: TaskRecord, asker: Asker) => {
    const { owner, tool } = record.state;
    if (!isSameOwner(owner, ownerOf(asker))) return false;
    // The token may have fewer scopes than the one with which the task was created, and rules may decide otherwise now.
    return host.mayUseTool(tool, () => record.request.params, asker);
  };
  return {
    parts: { store, events, engine, worker, mayUse },
    request(call, next) {
      startInBackground();
      if (call.method === 'tools/call') return admission.handle(call, next);
      const isDeclaring = call.method === 'initialize' || call.method === 'tools/list';
      return isDeclaring ? declareTasks(call, next, modeOf) : next();
    },
    start,
    missing: () => {
      if (!cluster) return NEEDS.cluster;
      if (recovers) return NEEDS.engine;
      return concurrency === 0 || node.works === false ? NEEDS.hands : undefined;
    },
    async close() {
      isClosed = true;
      await starting;
      await worker.close();
      await events.close();
      await engine.close();
      memory.close();
    },
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
