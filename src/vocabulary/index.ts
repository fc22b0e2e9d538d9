export { type ErrorKind, TenonError, UsageError } from '../base/errors.js';
export type { Json, JsonObject, JsonSchema } from '../base/json.js';
export { type CacheHint, readCacheHint, withCacheHint } from '../protocol/caching.js';
export type { Progress } from '../protocol/call.js';
export {
  type ClientCapabilities,
  type ClientCapability,
  capabilityShape,
  hasCapability,
  type Implementation,
  type ServerCapabilities,
} from '../protocol/capabilities.js';
export type { CompleteResult, CompletionReference } from '../protocol/completion.js';
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
export { type Discovery, readDiscoverResult, toDiscoverResult } from '../protocol/discovery.js';
export { ERROR, isResourceNotFound, McpError } from '../protocol/errors.js';
export {
  breaksFraming,
  decodeHeaderValue,
  encodeHeaderValue,
  HEADER,
  headerNameProblem,
} from '../protocol/headers.js';
export { httpStatus } from '../protocol/http-status.js';
export {
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
  type ListRootsResult,
  type Root,
  readInputAnswers,
  readInputRequired,
  type SamplingContent,
  type SamplingMessage,
  type ToolResultContent,
  type ToolUseContent,
  toInputRequests,
  toInputResponses,
} from '../protocol/input.js';
export { inputRequired } from '../protocol/input-required.js';
export { LOG_LEVELS, type LogLevel } from '../protocol/logging.js';
export { META, stampSubscription } from '../protocol/meta.js';
export { isMetaKey } from '../protocol/meta-key.js';
export { parameterHeaderMismatch } from '../protocol/parameter-header-mismatch.js';
export {
  collectParameterHeaders,
  type ParameterHeader,
  parameterHeaderProblem,
  parameterHeaders,
} from '../protocol/parameter-headers.js';
export type {
  GetPromptResult,
  ListPromptsResult,
  Prompt,
  PromptArgument,
  PromptMessage,
} from '../protocol/prompts.js';
export { type RequestMeta, readRequestMeta } from '../protocol/request-meta.js';
export type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
} from '../protocol/resources.js';
export type { CallToolResult, ListToolsResult, Tool, ToolAnnotations } from '../protocol/tools.js';
export { readTraceContext, type TraceContext } from '../protocol/trace-context.js';
export {
  type MatchOptions,
  parseTemplate,
  type TemplateValue,
  type UriTemplate,
} from '../protocol/uri-template.js';
export { type CheckOptions, checkRequest } from '../revisions/check-request.js';
export { isReservedMetaKey, mayAttachMetaKey } from '../revisions/meta-keys.js';
export {
  HANDSHAKE_REVISIONS,
  LATEST_REVISION,
  STATELESS_REVISIONS,
  SUPPORTED_REVISIONS,
} from '../revisions/names.js';
