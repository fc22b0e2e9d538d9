import './node-version.js';

export type { Auth } from '../protocol/auth.js';
export { fileStore } from './client/auth/file-store.js';
export { type LoopbackOptions, loopback } from './client/auth/loopback.js';
export { createNodeHandler, type NodeHandler } from './server/handler.js';
export { CannotListen, type Listening, type ListenOptions, listen } from './server/listen.js';
