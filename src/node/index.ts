import './node-version.js';

export type { Caller } from '../protocol/caller.js';
export { type NodeHandler, nodeHandler } from './server/handler.js';
export { CannotListen, type Listening, type ListenOptions, listen } from './server/listen.js';
