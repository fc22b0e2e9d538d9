import '../../node-version.js';

export { type ErrorKind, TenonError, UsageError } from '../../../base/errors.js';
export { ClusterUnavailable } from '../../../server/cluster/failures.js';
export type { TaskEngine } from '../../../server/tasks/engine.js';
export { type BullmqOptions, bullmq } from './engine.js';
