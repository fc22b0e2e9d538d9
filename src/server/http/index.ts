export { type ErrorKind, TenonError, UsageError } from '../../base/errors.js';
export type { Caller } from '../../protocol/caller.js';
export { type FetchHandler, fetchHandler } from './fetch.js';
export type { HandlerOptions } from './handler.js';
export type { LegacySsePaths } from './legacy/http-sse-paths.js';
export type { Protection } from './protection.js';
