import './node-version.js';

export { type ErrorKind, TenonError, UsageError } from '../base/errors.js';
export type { Caller } from '../protocol/caller.js';
export {
  type FrameworkReply,
  type FrameworkRequest,
  type NodeHandler,
  type NodeHandlerOptions,
  nodeHandler,
} from './server/handler.js';
export { CannotListen, type ListenOptions, listen, type RunningHttpServer } from './server/listen.js';
