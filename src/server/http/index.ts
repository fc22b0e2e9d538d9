export type { Auth } from '../../protocol/auth.js';
export { createFetchHandler, type FetchHandler } from './fetch.js';
export type { HandlerOptions } from './handler.js';
export type { LegacySsePaths } from './legacy/http-sse.js';
export type { Protection } from './protection.js';
