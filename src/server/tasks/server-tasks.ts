import { type LocalService, SERVICE } from '../../protocol/service.js';
import type { TaskMode } from '../../protocol/task.js';
import type { Cluster } from '../cluster/cluster.js';
import { memoryCluster } from '../cluster/memory.js';
import type { ExtensionHost } from '../extension.js';
import { warnLocal } from '../local-only.js';
import type { Middleware } from '../middleware.js';
import { type NodeSettings, nodeOf } from '../node-settings.js';
import type { Server } from '../server.js';
import { Admission } from './admission.js';
import { declareTasks } from './declare.js';
import type { TaskEngine } from './engine.js';
import { TaskEvents } from './events.js';
import { Leases } from './leases.js';
import {
  CONCURRENCY,
  LEASE_MS,
  MAX_ANONYMOUS_TASKS,
  MAX_RESULT_BYTES,
  MAX_TASK_TTL_MS,
  MAX_TASKS,
  TASK_TTL_MS,
} from './limits.js';
import { TaskMemory } from './memory.js';
import type { MethodOptions } from './methods.js';
import { type Asker, isSameOwner, ownerOf } from './owner.js';
import type { TaskRecord } from './record.js';
import { TaskStore } from './store.js';
import type { TasksOptions } from './tasks.js';
import { TaskWorker } from './worker.js';

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

/** The tasks of one server at one node: what admits, works on, keeps and shows them. */
export class ServerTasks {
  /** What the methods of the protocol need. */
  readonly parts: MethodOptions;
  readonly #host: ExtensionHost;
  readonly #service: LocalService;
  readonly #node: NodeSettings;
  readonly #options: TasksOptions;
  readonly #cluster: Cluster | undefined;
  readonly #memory = new TaskMemory();
  readonly #admission: Admission;
  #starting: Promise<void> | undefined;
  #isClosed = false;

  constructor(host: ExtensionHost, options: TasksOptions, engine: TaskEngine) {
    const server = host.server as Server;
    this.#host = host;
    this.#service = server[SERVICE];
    this.#node = nodeOf(this.#service);
    this.#options = options;
    const { cluster = this.#node.cluster, leaseMs = LEASE_MS } = options;
    this.#cluster = cluster;
    const store = new TaskStore(cluster ?? memoryCluster(), server.info.name, {
      // Without a cluster, no other node could take a task over.
      hasIndex: !engine.isDurable && cluster !== undefined,
      onCreate: () => {
        if (!cluster && (this.#node.hasKeys || this.#node.cluster)) warnLocal(this.#service, 'tasks');
      },
    });
    const isShared = cluster !== undefined;
    const events = new TaskEvents({ store, server, service: this.#service, isShared });
    const shared = {
      store,
      events,
      engine,
      leases: new Leases(leaseMs),
      memory: this.#memory,
      leaseMs,
      service: this.#service,
    };
    const { concurrency = CONCURRENCY, maxResultBytes = MAX_RESULT_BYTES } = options;
    const works = () => this.#node.works !== false;
    const recovers = !engine.isDurable;
    const worker = new TaskWorker({ ...shared, concurrency, works, maxResultBytes, recovers });
    const { ttlMs = TASK_TTL_MS, maxTtlMs = MAX_TASK_TTL_MS, maxTasks = MAX_TASKS } = options;
    this.#admission = new Admission({
      ...shared,
      worker,
      ttlMs,
      maxTtlMs,
      // Callers that are not authenticated count as one.
      limitFor: owner => (owner === 'anyone' ? (options.maxTasks ?? MAX_ANONYMOUS_TASKS) : maxTasks),
      modeOf: name => this.#modeOf(name),
    });
    const mayUse: MethodOptions['mayUse'] = (record, asker) => this.#mayUse(record, asker);
    this.parts = { store, events, engine, worker, mayUse };
  }

  /** Runs around every request of the server. */
  request: Extract<Middleware, (...args: never[]) => unknown> = (call, next) => {
    this.#startInBackground();
    if (call.method === 'tools/call') return this.#admission.handle(call, next);
    const isDeclaring = call.method === 'initialize' || call.method === 'tools/list';
    return isDeclaring ? declareTasks(call, next, name => this.#modeOf(name)) : next();
  };

  async start(): Promise<void> {
    const { events, worker } = this.parts;
    await events.start();
    await worker.start();
  }

  /** What a process that only works lacks; undefined if it lacks nothing. */
  missing(): string | undefined {
    if (!this.#cluster) return NEEDS.cluster;
    if (!this.parts.engine.isDurable) return NEEDS.engine;
    return this.#options.concurrency === 0 || this.#node.works === false ? NEEDS.hands : undefined;
  }

  async close(): Promise<void> {
    const { events, engine, worker } = this.parts;
    this.#isClosed = true;
    await this.#starting;
    await worker.close();
    await events.close();
    await engine.close();
    this.#memory.close();
  }

  #startInBackground(): void {
    // Only with one of these can there be tasks that this node did not create.
    const isShared = this.#cluster !== undefined || this.#options.engine !== undefined;
    if (!isShared || this.#isClosed) return;
    this.#starting ??= this.start().catch(error => {
      this.#service.report(error, 'the start of tasks');
      this.#starting = undefined;
    });
  }

  #modeOf(name: unknown): TaskMode | undefined {
    const tool = typeof name === 'string' ? this.#host.tools.get(name) : undefined;
    return tool && (tool.task ?? 'never');
  }

  async #mayUse(record: TaskRecord, asker: Asker): Promise<boolean> {
    const { owner, tool } = record.state;
    if (!isSameOwner(owner, ownerOf(asker))) return false;
    // The token may have fewer scopes than the one with which the task was created, and rules may decide otherwise now.
    return this.#host.mayUseTool(tool, () => record.request.params, asker);
  }
}
