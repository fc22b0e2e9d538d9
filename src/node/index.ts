export type { Auth } from '../protocol/auth.js';
export { createNodeHandler, type NodeHandler } from './server/handler.js';
export { CannotListen, type Listening, type ListenOptions, listen } from './server/listen.js';
