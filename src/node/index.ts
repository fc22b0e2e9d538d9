export type { Auth } from '../protocol/auth.js';
export { createNodeHandler, type NodeHandler } from './handler.js';
export { type Listening, type ListenOptions, listen } from './listen.js';
