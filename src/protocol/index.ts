export type { Json, JsonObject, JsonSchema } from '../base/json.js';
export { type CacheHint, readCacheHint, withCacheHint } from './caching.js';
export type { AskOptions, Call, ClientDescription, Progress, Result, Session } from './call.js';
export type { Caller } from './caller.js';
export {
  type ClientCapabilities,
  type ClientCapability,
  capabilityShape,
  hasCapability,
  type Implementation,
  type ServerCapabilities,
} from './capabilities.js';
export {
  type Change,
  changeNotification,
  readSubscriptionFilter,
  type SubscriptionFilter,
  wantsChange,
} from './changes.js';
export { type CompleteResult, type CompletionReference, MAX_COMPLETIONS } from './completion.js';
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
} from './content.js';
export { type Discovery, readDiscoverResult, toDiscoverResult } from './discovery.js';
export {
  ERROR,
  McpError,
  pagesRequired,
  type Reason,
  type RequiredPage,
  resourceNotFound,
  ToolError,
} from './errors.js';
export {
  breaksFraming,
  collectParameterHeaders,
  decodeHeaderValue,
  encodeHeaderValue,
  HEADER,
  headerNameProblem,
  type ParameterHeader,
  parameterHeaderMismatch,
  parameterHeaderProblem,
  parameterHeaders,
} from './headers.js';
export {
  answerProblem,
  type CreateMessageParams,
  type CreateMessageResult,
  type ElicitFormParams,
  type ElicitResult,
  type ElicitUrlParams,
  fromInputRequests,
  fromInputResponses,
  type InputRequest,
  type InputRequiredResult,
  type InputResponse,
  inputRequired,
  type ListRootsResult,
  type Named,
  type Root,
  readInputAnswers,
  readInputRequired,
  type SamplingContent,
  type SamplingMessage,
  toInputRequests,
  toInputResponses,
} from './input.js';
export { climbLadder, httpStatus } from './ladder.js';
export { isAtLeast, isLogLevel, LOG_LEVELS, type LogLevel } from './logging.js';
export {
  isMetaKey,
  isReservedMetaKey,
  META,
  mayAttachMetaKey,
  type ReservedRule,
  readTraceContext,
  stampSubscription,
  type TraceContext,
} from './meta.js';
export type { GetPromptResult, ListPromptsResult, Prompt, PromptArgument, PromptMessage } from './prompts.js';
export { type RequestMeta, readProgressToken, readRequestMeta } from './request-meta.js';
export type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
} from './resources.js';
export { RoundEnded } from './round.js';
export type { SingleUse } from './single-use.js';
export type { CallToolResult, ListToolsResult, Tool, ToolAnnotations, ToolFailure } from './tools.js';
export {
  type MatchOptions,
  parseTemplate,
  type TemplateValue,
  type TemplateVariables,
  type UriTemplate,
} from './uri-template.js';
