import '../../node-version.js';

export { type ErrorKind, TenonError, UsageError } from '../../../base/errors.js';
export type { Cluster } from '../../../server/cluster/cluster.js';
export { ClusterUnavailable, GroupFull } from '../../../server/cluster/failures.js';
export { type RedisClusterOptions, redisCluster } from './cluster.js';
