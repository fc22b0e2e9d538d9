import { UsageError } from '../../base/errors.js';
import { checkOptions, type OptionNames } from '../../base/options.js';
import { type Servable, serviceOf } from '../../protocol/service.js';
import type { Cluster } from '../cluster/cluster.js';
import { type NodeTasks, nodeOf, type TaskWork } from '../node-settings.js';

/** Options of `work`. */
export interface WorkOptions {
  /** The cluster of the other nodes, unless `tasks` has one of its own. */
  cluster?: Cluster | undefined;
}

/** A process that works on tasks. */
export interface Working {
  /** Stops the handlers, and hands their tasks over to other nodes. The cluster stays open: close it afterwards. */
  close(): Promise<void>;
}

const WORK_OPTIONS: OptionNames<WorkOptions> = { cluster: 1 };

/**
 * Works on the tasks of a server without serving it: for processes beside those that listen. It needs their cluster, and
 * an engine with a queue that all of them share. Those that listen may then leave the work to it: `work: false`.
 *
 * @example
 * const working = await work(server, { cluster });
 * process.once('SIGTERM', () => working.close().then(() => cluster.close()));
 */
export async function work(server: Servable, options: WorkOptions = {}): Promise<Working> {
  const node = nodeOf(serviceOf(server, 'work'));
  checkOptions(options, WORK_OPTIONS, 'work');
  const tasks = node.tasks ?? refuse();
  node.cluster ??= options.cluster;
  const missing = tasks.missing();
  if (missing) throw new UsageError(missing);
  await tasks.start();
  return { close: () => tasks.close() };
}

/**
 * The work on the tasks of a server; undefined if it has no tasks: for programs that serve servers of others, and close
 * them.
 *
 * @example
 * const running = await listen(server);
 * await running.close();
 * await taskWorkOf(server)?.close();
 */
export function taskWorkOf(server: Servable): TaskWork | undefined {
  return nodeOf(serviceOf(server, 'taskWorkOf')).tasks;
}

function refuse(): NodeTasks {
  throw new UsageError(
    'the server has no tasks to work on: new Server(info, { extensions: [tasks({ engine })] })',
  );
}
