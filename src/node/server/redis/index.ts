export { type ErrorKind, TenonError } from '../../../base/errors.js';
export { ClusterUnavailable, GroupFull } from '../../../server/cluster/failures.js';
export { type RedisClusterOptions, redisCluster } from './cluster.js';
