export type { Auth } from '../protocol/auth.js';
export { fileStore } from './auth/file-store.js';
export { type LoopbackOptions, loopback } from './auth/loopback.js';
export { createNodeHandler, type NodeHandler } from './handler.js';
export { type Listening, type ListenOptions, listen } from './listen.js';
