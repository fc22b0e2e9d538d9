import '../../node-version.js';

export { type ErrorKind, TenonError, UsageError } from '../../../base/errors.js';
export type { Cluster } from '../../../server/cluster/cluster.js';
export { ClusterUnavailable, GroupFull } from '../../../server/cluster/failures.js';
export { type PostgresClusterOptions, postgresCluster } from './cluster.js';
export type { PostgresClient, PostgresPool } from './pool.js';
