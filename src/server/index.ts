export { Cancelled, type ErrorKind, TenonError, UsageError } from '../base/errors.js';
export type { Json, JsonObject, JsonSchema } from '../base/json.js';
export type { CacheHint } from '../protocol/caching.js';
export type { AskOptions, Call, ClientDescription, Progress, Result, Session } from '../protocol/call.js';
export type { Caller } from '../protocol/caller.js';
export type {
  ClientCapabilities,
  ClientCapability,
  Implementation,
  ServerCapabilities,
} from '../protocol/capabilities.js';
export type { Audience } from '../protocol/changes.js';
export type {
  Annotations,
  AudioContent,
  BlobResourceContents,
  ContentBlock,
  EmbeddedResource,
  Icon,
  ImageContent,
  ResourceContents,
  ResourceLink,
  Role,
  TextContent,
  TextResourceContents,
} from '../protocol/content.js';
export {
  ERROR,
  isResourceNotFound,
  McpError,
  pagesRequired,
  type RequiredPage,
  resourceNotFound,
  ToolError,
} from '../protocol/errors.js';
export { AnswerTimeout, ConnectionError } from '../protocol/failures.js';
export type {
  CreateMessageParams,
  CreateMessageResult,
  ElicitFormParams,
  ElicitResult,
  ElicitUrlParams,
  InputRequest,
  InputRequiredResult,
  InputResponse,
  InputResponseTo,
  ListRootsResult,
  Root,
  SamplingContent,
  SamplingMessage,
} from '../protocol/input.js';
export { inputRequired } from '../protocol/input-required.js';
export type { Logger } from '../protocol/logger.js';
export type { LogLevel } from '../protocol/logging.js';
export type { GetPromptResult, Prompt, PromptArgument, PromptMessage } from '../protocol/prompts.js';
export type { ReadResourceResult, Resource, ResourceTemplate } from '../protocol/resources.js';
export { RoundEnded } from '../protocol/round.js';
export { isServer, type NotificationSender, type Reporting, type Servable } from '../protocol/service.js';
export type { SingleUse } from '../protocol/single-use.js';
export type { TaskControl, TaskMode } from '../protocol/task.js';
export type { CallToolResult, Tool, ToolAnnotations, ToolFailure } from '../protocol/tools.js';
export type { AnswerTo } from './context/by-hand.js';
export type { Context, ResourceContext } from './context/context.js';
export type { Answer } from './context/questions.js';
export type { Extension } from './extension.js';
export type {
  CallChanges,
  CallReplacements,
  Middleware,
  MiddlewareCall,
  MiddlewareLayer,
  MiddlewareNotification,
  MiddlewareQuestion,
  Next,
  NotificationMiddleware,
  QuestionMiddleware,
  RequestMiddleware,
} from './middleware.js';
export type { AccessOptions, AccessRequest } from './registry/access.js';
export type { Completer, Completers, Suggestions } from './registry/completion.js';
export type { PromptHandle, PromptHandler, PromptOptions, PromptReturn } from './registry/prompts.js';
export type { Handle } from './registry/registry.js';
export type {
  ListContext,
  ListedResource,
  ListReturn,
  ResourceHandle,
  ResourceHandler,
  ResourceOptions,
  ResourceReturn,
} from './registry/resources.js';
export type {
  FullToolResult,
  OutputHandler,
  ToolHandle,
  ToolHandler,
  ToolOptions,
  ToolReturn,
  ToolsOf,
  ToolUi,
} from './registry/tools.js';
export { ReplaceableServer } from './replaceable.js';
export type { Infer, InferInput, Schema } from './schema/schema.js';
export { type MethodHandler, type NotificationHandler, Server } from './server.js';
export type { ServerOptions } from './server-options.js';
export { StoreFull } from './store-full.js';
