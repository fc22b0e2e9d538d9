import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { entryPoints, exportedNames } from './exports.js';
import { ROOT } from './sources.js';

// What is listed here is public: to remove or rename any of it breaks somebody. `vitest -u` writes the list anew.

function publicNames(subpath: string): string[] {
  return exportedNames(readFileSync(`${ROOT}/${entryPoints().get(subpath)}`, 'utf8'));
}

it('reads every form of export', () => {
  const text = [
    "export type { B, A } from './a.js';",
    "export { c, type D } from './c.js';",
    "export { e as f } from './e.js';",
    'export function g() {}',
    'export interface H {}',
  ].join('\n');
  expect(exportedNames(text)).toEqual(['type A', 'type B', 'c', 'type D', 'f', 'g', 'type H']);
});

it.each([...entryPoints()])('%s exports at run time what its source says', async (subpath, path) => {
  const values = publicNames(subpath).filter(name => !name.startsWith('type '));
  const module = (await import(`${ROOT}/${path}`)) as object;
  expect(Object.keys(module).sort()).toEqual([...values].sort());
});

it('the subpaths are these', () => {
  expect([...entryPoints().keys()]).toMatchInlineSnapshot(`
    [
      ".",
      "./protocol",
      "./client",
      "./http",
      "./apps/host",
      "./auth",
      "./auth/client",
      "./extensions",
      "./extensions/client",
      "./apps",
      "./cluster",
      "./redis",
      "./bullmq",
      "./tasks",
      "./postgres",
      "./middleware",
      "./skills",
      "./tasks/client",
      "./skills/client",
      "./stdio",
      "./node",
      "./models",
      "./testing",
    ]
  `);
});

describe('the public names', () => {
  it('of the main entry', () => {
    expect(publicNames('.')).toMatchInlineSnapshot(`
      [
        "type AccessOptions",
        "type AccessRequest",
        "type Annotations",
        "type Answer",
        "AnswerTimeout",
        "type AnswerTo",
        "type AskOptions",
        "type Audience",
        "type AudioContent",
        "type BlobResourceContents",
        "type CacheHint",
        "type Call",
        "type CallChanges",
        "type Caller",
        "type CallReplacements",
        "type CallToolResult",
        "Cancelled",
        "type ClientCapabilities",
        "type ClientCapability",
        "type ClientDescription",
        "type Completer",
        "type Completers",
        "ConnectionError",
        "type ContentBlock",
        "type Context",
        "type CreateMessageParams",
        "type CreateMessageResult",
        "type ElicitFormParams",
        "type ElicitResult",
        "type ElicitUrlParams",
        "type EmbeddedResource",
        "ERROR",
        "type ErrorKind",
        "type Extension",
        "type FullToolResult",
        "type GetPromptResult",
        "type Handle",
        "type Icon",
        "type ImageContent",
        "type Implementation",
        "type Infer",
        "type InferInput",
        "type InputRequest",
        "inputRequired",
        "type InputRequiredResult",
        "type InputResponse",
        "type InputResponseTo",
        "isResourceNotFound",
        "isServer",
        "type Json",
        "type JsonObject",
        "type JsonSchema",
        "type ListContext",
        "type ListedResource",
        "type ListReturn",
        "type ListRootsResult",
        "type Logger",
        "type LogLevel",
        "McpError",
        "type MethodHandler",
        "type Middleware",
        "type MiddlewareCall",
        "type MiddlewareLayer",
        "type MiddlewareNotification",
        "type MiddlewareQuestion",
        "type Next",
        "type NotificationHandler",
        "type NotificationMiddleware",
        "type NotificationSender",
        "type OutputHandler",
        "pagesRequired",
        "type Progress",
        "type Prompt",
        "type PromptArgument",
        "type PromptHandle",
        "type PromptHandler",
        "type PromptMessage",
        "type PromptOptions",
        "type PromptReturn",
        "type QuestionMiddleware",
        "type ReadResourceResult",
        "ReplaceableServer",
        "type Reporting",
        "type RequestMiddleware",
        "type RequiredPage",
        "type Resource",
        "type ResourceContents",
        "type ResourceContext",
        "type ResourceHandle",
        "type ResourceHandler",
        "type ResourceLink",
        "resourceNotFound",
        "type ResourceOptions",
        "type ResourceReturn",
        "type ResourceTemplate",
        "type Result",
        "type Role",
        "type Root",
        "RoundEnded",
        "type SamplingContent",
        "type SamplingMessage",
        "type Schema",
        "type Servable",
        "Server",
        "type ServerCapabilities",
        "type ServerOptions",
        "type Session",
        "type SingleUse",
        "StoreFull",
        "type Suggestions",
        "type TaskControl",
        "type TaskMode",
        "TenonError",
        "type TextContent",
        "type TextResourceContents",
        "type Tool",
        "type ToolAnnotations",
        "ToolError",
        "type ToolFailure",
        "type ToolHandle",
        "type ToolHandler",
        "type ToolOptions",
        "type ToolReturn",
        "type ToolsOf",
        "type ToolUi",
        "UsageError",
      ]
    `);
  });

  it('of tenon/protocol', () => {
    expect(publicNames('./protocol')).toMatchInlineSnapshot(`
      [
        "type Annotations",
        "type AudioContent",
        "type BlobResourceContents",
        "breaksFraming",
        "type CacheHint",
        "type CallToolResult",
        "capabilityShape",
        "type CheckOptions",
        "checkRequest",
        "type ClientCapabilities",
        "type ClientCapability",
        "collectParameterHeaders",
        "type CompleteResult",
        "type CompletionReference",
        "type ContentBlock",
        "type CreateMessageParams",
        "type CreateMessageResult",
        "decodeHeaderValue",
        "type Discovery",
        "type ElicitFormParams",
        "type ElicitResult",
        "type ElicitUrlParams",
        "type EmbeddedResource",
        "encodeHeaderValue",
        "ERROR",
        "type ErrorKind",
        "fromInputRequests",
        "fromInputResponses",
        "type GetPromptResult",
        "HANDSHAKE_REVISIONS",
        "hasCapability",
        "HEADER",
        "headerNameProblem",
        "httpStatus",
        "type Icon",
        "type ImageContent",
        "type Implementation",
        "type InputRequest",
        "inputRequired",
        "type InputRequiredResult",
        "type InputResponse",
        "isMetaKey",
        "isReservedMetaKey",
        "isResourceNotFound",
        "type Json",
        "type JsonObject",
        "type JsonSchema",
        "LATEST_REVISION",
        "type ListPromptsResult",
        "type ListResourcesResult",
        "type ListResourceTemplatesResult",
        "type ListRootsResult",
        "type ListToolsResult",
        "LOG_LEVELS",
        "type LogLevel",
        "type MatchOptions",
        "mayAttachMetaKey",
        "McpError",
        "META",
        "type ParameterHeader",
        "parameterHeaderMismatch",
        "parameterHeaderProblem",
        "parameterHeaders",
        "parseTemplate",
        "type Progress",
        "type Prompt",
        "type PromptArgument",
        "type PromptMessage",
        "readCacheHint",
        "readDiscoverResult",
        "readInputAnswers",
        "readInputRequired",
        "readRequestMeta",
        "type ReadResourceResult",
        "readTraceContext",
        "type RequestMeta",
        "type Resource",
        "type ResourceContents",
        "type ResourceLink",
        "type ResourceTemplate",
        "type Role",
        "type Root",
        "type SamplingContent",
        "type SamplingMessage",
        "type ServerCapabilities",
        "stampSubscription",
        "STATELESS_REVISIONS",
        "SUPPORTED_REVISIONS",
        "type TemplateValue",
        "TenonError",
        "type TextContent",
        "type TextResourceContents",
        "toDiscoverResult",
        "toInputRequests",
        "toInputResponses",
        "type Tool",
        "type ToolAnnotations",
        "type ToolResultContent",
        "type ToolUseContent",
        "type TraceContext",
        "type UriTemplate",
        "UsageError",
        "withCacheHint",
      ]
    `);
  });

  it('of tenon/client', () => {
    expect(publicNames('./client')).toMatchInlineSnapshot(`
      [
        "AccessError",
        "AccessUnreachable",
        "type AnswerOptions",
        "type AuthProblem",
        "type CacheEntry",
        "type CacheMode",
        "type CacheStore",
        "type CallOptions",
        "Cancelled",
        "CannotConnect",
        "type ChangeFilter",
        "type ChangeOptions",
        "Client",
        "type ClientExtension",
        "ClientGroup",
        "type ClientMessage",
        "type ClientMiddleware",
        "type ClientMiddlewareLayer",
        "type ClientNotificationMiddleware",
        "type ClientOptions",
        "type ClientQuestion",
        "type ClientRequest",
        "type ClientRequestMiddleware",
        "type Command",
        "connect",
        "type Connect",
        "connectAll",
        "type ConnectAll",
        "type ConnectAttempt",
        "type ConnectedServer",
        "ConnectionError",
        "type ConnectOptions",
        "type ConnectStatus",
        "type ConnectTarget",
        "type CreateMessageParams",
        "type CreateMessageResult",
        "type ElicitFormParams",
        "type ElicitResult",
        "type ElicitUrlParams",
        "ERROR",
        "type ErrorKind",
        "type GroupMember",
        "type GroupOptions",
        "type GroupProblem",
        "type HandlerContext",
        "type HeldRequest",
        "HttpError",
        "InvalidAnswer",
        "isResourceNotFound",
        "type LogLevel",
        "type LogMessage",
        "McpError",
        "memoryCache",
        "type Negotiated",
        "NotSupported",
        "type Owned",
        "type QuestionContext",
        "type RequestOptions",
        "RequestTimeout",
        "type ResourceFilter",
        "type Root",
        "type RoundOutcome",
        "type SamplingContent",
        "type SamplingMessage",
        "type ServerChange",
        "type ServerDescription",
        "SignInRequired",
        "type Task",
        "type TaskHandle",
        "type TaskStatus",
        "type TaskWish",
        "TenonError",
        "type ToolTypes",
        "TooManyRounds",
        "type Traffic",
        "type Transport",
        "type TypedToolResult",
        "UsageError",
      ]
    `);
  });

  it('of tenon/client on Node, the values', () => {
    const values = (names: string[]) => names.filter(name => !name.startsWith('type '));
    const onNode = exportedNames(readFileSync(`${ROOT}/src/node/client/index.ts`, 'utf8'));
    expect(onNode).toEqual(values(publicNames('./client')));
  });

  it('of tenon/auth/client on Node, the values', () => {
    const values = (names: string[]) => names.filter(name => !name.startsWith('type '));
    const onNode = exportedNames(readFileSync(`${ROOT}/src/node/client/auth/index.ts`, 'utf8'));
    expect(onNode).toEqual(values(publicNames('./auth/client')));
  });

  it('of tenon/http', () => {
    expect(publicNames('./http')).toMatchInlineSnapshot(`
      [
        "type Caller",
        "type ErrorKind",
        "fetchHandler",
        "type FetchHandler",
        "type HandlerOptions",
        "type LegacySsePaths",
        "type Protection",
        "TenonError",
        "UsageError",
      ]
    `);
  });

  it('of tenon/auth', () => {
    expect(publicNames('./auth')).toMatchInlineSnapshot(`
      [
        "type Caller",
        "type DpopOptions",
        "type ErrorKind",
        "introspection",
        "type IntrospectionOptions",
        "InvalidToken",
        "jwt",
        "type JwtOptions",
        "protect",
        "type Protection",
        "type ProtectOptions",
        "TenonError",
        "UsageError",
        "type VerifiedToken",
        "type Verifier",
        "VerifierUnavailable",
        "type VerifyFunction",
      ]
    `);
  });

  it('of tenon/stdio', () => {
    expect(publicNames('./stdio')).toMatchInlineSnapshot(`
      [
        "type ErrorKind",
        "type RunningServer",
        "serveStdio",
        "type StdioOptions",
        "TenonError",
        "UsageError",
      ]
    `);
  });

  it('of tenon/node', () => {
    expect(publicNames('./node')).toMatchInlineSnapshot(`
      [
        "type Caller",
        "CannotListen",
        "type ErrorKind",
        "type FrameworkReply",
        "type FrameworkRequest",
        "listen",
        "type ListenOptions",
        "nodeHandler",
        "type NodeHandler",
        "type NodeHandlerOptions",
        "type RunningHttpServer",
        "TenonError",
        "UsageError",
      ]
    `);
  });

  it('of tenon/models', () => {
    expect(publicNames('./models')).toMatchInlineSnapshot(`
      [
        "type AnthropicImage",
        "type AnthropicTool",
        "type AnthropicToolCall",
        "type AnthropicToolResult",
        "type ErrorKind",
        "type GeminiTool",
        "type GeminiToolCall",
        "type GeminiToolResult",
        "type ModelFormat",
        "type ModelFormats",
        "type ModelTools",
        "type ModelToolsOptions",
        "type OpenAIChatTool",
        "type OpenAIChatToolCall",
        "type OpenAIChatToolResult",
        "type OpenAITool",
        "type OpenAIToolCall",
        "type OpenAIToolResult",
        "type ResolvedCall",
        "TenonError",
        "toModelTools",
        "type ToolSource",
        "UsageError",
      ]
    `);
  });

  it('of tenon/testing', () => {
    expect(publicNames('./testing')).toMatchInlineSnapshot(`
      [
        "type ConnectRevision",
        "connectTest",
        "eachRevision",
        "type EachRevisionOptions",
        "type ErrorKind",
        "type Heard",
        "type RegisterTest",
        "type RevisionTest",
        "TenonError",
        "type TestAnswers",
        "type TestClient",
        "type TestOptions",
        "textOf",
        "UsageError",
      ]
    `);
  });

  it('of tenon/apps/host', () => {
    expect(publicNames('./apps/host')).toMatchInlineSnapshot(`
      [
        "APP_MIME_TYPE",
        "type AppClient",
        "type AppContext",
        "type AppCsp",
        "type AppFrame",
        "type AppPage",
        "type AppPermissions",
        "AppRefused",
        "type AppRequest",
        "appSandbox",
        "type AppSandboxOptions",
        "appsExtension",
        "appUriOf",
        "type ErrorKind",
        "isForApps",
        "isForModels",
        "loadApp",
        "type LoadAppOptions",
        "showApp",
        "type ShowAppOptions",
        "type ShownApp",
        "TenonError",
        "UsageError",
      ]
    `);
  });

  it('of tenon/auth/client', () => {
    expect(publicNames('./auth/client')).toMatchInlineSnapshot(`
      [
        "AccessError",
        "AccessUnreachable",
        "type AuthMethods",
        "type AuthorizationOptions",
        "type AuthProblem",
        "bearer",
        "type CallbackPages",
        "type ClientAuth",
        "clientCredentials",
        "type ClientCredentialsOptions",
        "type ClientIdentity",
        "type CredentialStore",
        "enterprise",
        "type EnterpriseOptions",
        "type ErrorKind",
        "fileStore",
        "loopback",
        "type LoopbackOptions",
        "memoryStore",
        "openBrowser",
        "type Redirect",
        "type Redirection",
        "type RegistrationOptions",
        "signIn",
        "type SignIn",
        "type SignInOptions",
        "SignInRequired",
        "type StoredCredentials",
        "TenonError",
        "UsageError",
        "workloadIdentity",
        "type WorkloadIdentityOptions",
      ]
    `);
  });

  it('of tenon/extensions', () => {
    expect(publicNames('./extensions')).toMatchInlineSnapshot(`
      [
        "type ErrorKind",
        "extension",
        "type Extension",
        "type ExtensionDefinition",
        "type ExtensionMethod",
        "type ExtensionNotice",
        "type ExtensionNotification",
        "extensionResult",
        "type JsonObject",
        "metaAccessor",
        "type MetaAccessor",
        "method",
        "notice",
        "notification",
        "TenonError",
        "UsageError",
      ]
    `);
  });

  it('of tenon/extensions/client', () => {
    expect(publicNames('./extensions/client')).toMatchInlineSnapshot(`
      [
        "answer",
        "type CallContext",
        "type ClientExtension",
        "type ErrorKind",
        "type JsonObject",
        "notification",
        "type OwnCall",
        "type OwnMethod",
        "type OwnNotification",
        "type OwnResultType",
        "type ResultContext",
        "resultType",
        "TenonError",
        "UsageError",
      ]
    `);
  });

  it('of tenon/apps', () => {
    expect(publicNames('./apps')).toMatchInlineSnapshot(`
      [
        "app",
        "type App",
        "type AppCsp",
        "type AppOptions",
        "type AppPermission",
        "type AppVisibility",
        "type ErrorKind",
        "type InlinePage",
        "showsApps",
        "TenonError",
        "type ToolUi",
        "UsageError",
        "visibleTo",
      ]
    `);
  });

  it('of tenon/cluster', () => {
    expect(publicNames('./cluster')).toMatchInlineSnapshot(`
      [
        "type Cluster",
        "clusterSingleUse",
        "ClusterUnavailable",
        "type ErrorKind",
        "GroupFull",
        "type LogEntry",
        "type LogOptions",
        "memoryCluster",
        "type MemoryClusterOptions",
        "type Stored",
        "StoreFull",
        "type Subscription",
        "TenonError",
        "type TopicListener",
        "UsageError",
        "type WriteOptions",
      ]
    `);
  });

  it('of tenon/redis', () => {
    expect(publicNames('./redis')).toMatchInlineSnapshot(`
      [
        "type Cluster",
        "ClusterUnavailable",
        "type ErrorKind",
        "GroupFull",
        "redisCluster",
        "type RedisClusterOptions",
        "TenonError",
        "UsageError",
      ]
    `);
  });

  it('of tenon/bullmq', () => {
    expect(publicNames('./bullmq')).toMatchInlineSnapshot(`
      [
        "bullmq",
        "type BullmqOptions",
        "ClusterUnavailable",
        "type ErrorKind",
        "type TaskEngine",
        "TenonError",
        "UsageError",
      ]
    `);
  });

  it('of tenon/tasks', () => {
    expect(publicNames('./tasks')).toMatchInlineSnapshot(`
      [
        "completeTask",
        "type EngineHandler",
        "type EngineRun",
        "type EngineWorker",
        "type EngineWorkOptions",
        "type EnqueueOptions",
        "type ErrorKind",
        "failTask",
        "type GivenUp",
        "inProcessEngine",
        "type TaskControl",
        "type TaskEngine",
        "type TaskMode",
        "tasks",
        "TASKS_ID",
        "type TasksExtension",
        "type TasksOptions",
        "type TaskWork",
        "taskWorkOf",
        "TenonError",
        "updateTask",
        "UsageError",
        "work",
        "type Working",
        "type WorkOptions",
      ]
    `);
  });

  it('of tenon/postgres', () => {
    expect(publicNames('./postgres')).toMatchInlineSnapshot(`
      [
        "type Cluster",
        "ClusterUnavailable",
        "type ErrorKind",
        "GroupFull",
        "type PostgresClient",
        "postgresCluster",
        "type PostgresClusterOptions",
        "type PostgresPool",
        "TenonError",
        "UsageError",
      ]
    `);
  });

  it('of tenon/middleware', () => {
    expect(publicNames('./middleware')).toMatchInlineSnapshot(`
      [
        "type ErrorKind",
        "logging",
        "type LoggingOptions",
        "rateLimit",
        "type RateLimitOptions",
        "redaction",
        "type RedactionOptions",
        "responseCache",
        "type ResponseCacheOptions",
        "resultLimit",
        "type ResultLimitOptions",
        "retry",
        "type RetryOptions",
        "TenonError",
        "type Timed",
        "timing",
        "UsageError",
      ]
    `);
  });

  it('of tenon/skills', () => {
    expect(publicNames('./skills')).toMatchInlineSnapshot(`
      [
        "checkSkillFolder",
        "describeSkill",
        "type DirectoryPage",
        "type ErrorKind",
        "type Skill",
        "type SkillFolderReport",
        "type SkillFrontmatter",
        "type SkillPage",
        "type SkillProblem",
        "type SkillProvider",
        "type SkillResource",
        "skills",
        "type SkillsOptions",
        "TenonError",
        "UsageError",
      ]
    `);
  });

  it('of tenon/tasks/client', () => {
    expect(publicNames('./tasks/client')).toMatchInlineSnapshot(`
      [
        "cancelTask",
        "type ClientExtension",
        "type DetailedTask",
        "type ErrorKind",
        "getTask",
        "listTasks",
        "resumeTask",
        "type Task",
        "type TaskHandle",
        "TaskLost",
        "tasksClient",
        "type TasksClientOptions",
        "type TaskStatus",
        "type TaskWish",
        "TenonError",
        "UsageError",
      ]
    `);
  });

  it('of tenon/skills/client', () => {
    expect(publicNames('./skills/client')).toMatchInlineSnapshot(`
      [
        "type ErrorKind",
        "getSkill",
        "listSkills",
        "openSkill",
        "type OpenSkill",
        "type OpenSkillOptions",
        "saveSkill",
        "type SaveSkillOptions",
        "type Skill",
        "type SkillFile",
        "type SkillFrontmatter",
        "type SkillLimits",
        "type SkillList",
        "type SkillOptions",
        "SkillRefused",
        "type SkillResource",
        "TenonError",
        "UsageError",
      ]
    `);
  });
});
