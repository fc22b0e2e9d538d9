export { type ErrorKind, TenonError, UsageError } from '../../base/errors.js';
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
export { memoryCluster } from './memory.js';
export { clusterSingleUse } from './single-use.js';
