import { createConnect } from './connect.js';
import { createConnectAll } from './connect-all.js';
import { createFetchSender } from './http/fetch-sender.js';

/**
 * Connects to a server, of any revision.
 *
 * @example
 * const client = await connect('https://bistro.example/mcp');
 */
export const connect = /* @__PURE__ */ createConnect({ createSender: () => createFetchSender() });

/**
 * Connects to several servers at once, and prefixes the names of their tools and prompts.
 *
 * @example
 * const group = await connectAll({ files: 'https://files.example/mcp', bistro: 'https://bistro.example/mcp' });
 * await group.callTool('files__read', { path: 'menu.txt' });
 */
export const connectAll = /* @__PURE__ */ createConnectAll(connect);

export { Cancelled, type ErrorKind, TenonError, UsageError } from '../base/errors.js';
export { ERROR, isResourceNotFound, McpError } from '../protocol/errors.js';
export {
  AccessUnreachable,
  ConnectionError,
  HttpError,
  InvalidAnswer,
  NotSupported,
  RequestTimeout,
  TooManyRounds,
} from '../protocol/failures.js';
export type {
  CreateMessageParams,
  CreateMessageResult,
  ElicitFormParams,
  ElicitResult,
  ElicitUrlParams,
  Root,
  SamplingContent,
  SamplingMessage,
} from '../protocol/input.js';
export type { LogLevel } from '../protocol/logging.js';
export type { TaskStatus } from '../protocol/task.js';
export type { Transport } from '../protocol/transport.js';
export type { AnswerOptions, HandlerContext, QuestionContext } from './answer-options.js';
export { AccessError, type AuthProblem, SignInRequired } from './auth/errors.js';
export { type CacheEntry, type CacheMode, type CacheStore, memoryCache } from './cache.js';
export type { CallOptions } from './call-options.js';
export { CannotConnect, type ConnectAttempt } from './cannot-connect.js';
export type { ChangeFilter, ChangeOptions, ResourceFilter, ServerChange } from './changes.js';
export { Client, type ToolTypes } from './client.js';
export type { Command } from './command.js';
export type { Connect, ConnectOptions, ConnectTarget } from './connect.js';
export type { ConnectAll, GroupMember, GroupOptions } from './connect-all.js';
export type { ClientExtension } from './extension.js';
export { ClientGroup, type GroupProblem, type Owned } from './group.js';
export type { ConnectedServer, RequestOptions, ServerDescription } from './link.js';
export type {
  ClientMessage,
  ClientMiddleware,
  ClientMiddlewareLayer,
  ClientNotificationMiddleware,
  ClientQuestion,
  ClientRequest,
  ClientRequestMiddleware,
} from './middleware.js';
export type { Negotiated } from './negotiate.js';
export type { ClientOptions, LogMessage } from './options.js';
export type { HeldRequest, RoundOutcome } from './rounds.js';
export type { ConnectStatus } from './status.js';
export type { Task, TaskHandle, TaskWish } from './task-handle.js';
export type { TypedToolResult } from './tool-output.js';
export type { Traffic } from './traffic.js';
