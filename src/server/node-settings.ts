import type { LocalService } from '../protocol/service.js';
import type { Cluster } from './cluster/cluster.js';

/** What this process is among the nodes of a server. Its doors write it, and its tasks read it. */
export interface NodeSettings {
  /** What the nodes share: that of the first door that has one. */
  cluster?: Cluster | undefined;
  /** False if this node leaves tasks to nodes that work. */
  works?: boolean | undefined;
  /** Whether the keys of a door are set, so that other processes may serve the same clients. */
  hasKeys?: boolean | undefined;
  /** The tasks of the server, if it has any. */
  tasks?: NodeTasks | undefined;
}

/** The work on the tasks of a server, in this process. */
export interface TaskWork {
  /** Begins to work, which otherwise happens with the first request. */
  start(): Promise<void>;
  /**
   * Stops the work of this node, and gives up its leases. Another node goes on at once with an engine that nodes share,
   * and within `leaseMs` without one.
   */
  close(): Promise<void>;
}

/** The tasks of a server, for the functions that find them by the server. */
export interface NodeTasks extends TaskWork {
  /** What a process that only works cannot do without; undefined if nothing is missing. */
  missing(): string | undefined;
}

/** They hang on the service, so that a door of another copy of this package finds the same. */
export function nodeOf(service: LocalService & { node?: NodeSettings }): NodeSettings {
  service.node ??= {};
  return service.node;
}
