export { type ErrorKind, TenonError, UsageError } from '../../base/errors.js';
export { StoreFull } from '../store-full.js';
export type {
  Cluster,
  LogEntry,
  LogOptions,
  Stored,
  Subscription,
  TopicListener,
  WriteOptions,
} from './cluster.js';
export { ClusterUnavailable, GroupFull } from './failures.js';
export { type MemoryClusterOptions, memoryCluster } from './memory.js';
export { clusterSingleUse } from './single-use.js';
