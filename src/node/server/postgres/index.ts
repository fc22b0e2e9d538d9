export { type ErrorKind, TenonError } from '../../../base/errors.js';
export { ClusterUnavailable, GroupFull } from '../../../server/cluster/failures.js';
export { type PostgresClusterOptions, postgresCluster } from './cluster.js';
export type { PostgresClient, PostgresPool } from './pool.js';
