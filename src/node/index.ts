export type { Auth } from '../protocol/auth.js';
export { fileStore } from './file-store.js';
export { createNodeHandler, type NodeHandler } from './handler.js';
export { type Listening, type ListenOptions, listen } from './listen.js';
export { type LoopbackOptions, loopback } from './loopback.js';
