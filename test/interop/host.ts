import type {
  CallToolResult,
  CompleteResult,
  CreateMessageParams,
  CreateMessageResult,
  ElicitFormParams,
  ElicitResult,
  GetPromptResult,
  Implementation,
  LogLevel,
  Progress,
  Prompt,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  Root,
  ServerCapabilities,
  Tool,
} from 'tenon/protocol';

export type Transport = 'Streamable HTTP' | 'HTTP+SSE' | 'stdio';

/** A host with one of the official clients inside: the same face for both of them, and for every revision. */
export interface Host {
  /** The revision that the two sides agreed on. */
  readonly revision: string;
  readonly server: Implementation;
  readonly instructions: string | undefined;
  readonly capabilities: ServerCapabilities;
  readonly heard: Heard;
  readonly user: User;
  /** The `MCP-Protocol-Version` header of the last request, where there are headers. */
  readonly versionHeader: (() => string | undefined) | undefined;
  listTools(): Promise<Tool[]>;
  listResources(): Promise<Resource[]>;
  listTemplates(): Promise<ResourceTemplate[]>;
  listPrompts(): Promise<Prompt[]>;
  callTool(name: string, args?: Record<string, unknown>, options?: CallOptions): Promise<CallToolResult>;
  readResource(uri: string): Promise<ReadResourceResult['contents']>;
  getPrompt(name: string, args?: Record<string, string>): Promise<GetPromptResult>;
  complete(request: CompletionRequest): Promise<CompleteResult['completion']>;
  /** Asks to be told when a resource or the list of tools changes. Returns the way to end that. */
  watch(uri: string): Promise<() => Promise<void>>;
  /** Legacy only. */
  ping(): Promise<unknown>;
  close(): Promise<void>;
}

export interface CallOptions {
  onProgress?: (progress: Progress) => void;
  signal?: AbortSignal;
  /** The least severe messages to send: for this call, or from now on where the level belongs to the session. */
  logLevel?: LogLevel;
}

export interface CompletionRequest {
  ref: { type: 'ref/prompt'; name: string } | { type: 'ref/resource'; uri: string };
  argument: { name: string; value: string };
  context?: { arguments: Record<string, string> };
}

/** What the server told without being asked, in order. */
export interface Heard {
  logs: { level: string; logger?: string | undefined; data?: unknown }[];
  /** URIs of resources that changed. */
  updated: string[];
  /** How often the list of tools changed. */
  toolChanges: number;
  /** The codes of errors as they came: a client may translate them. */
  errors: number[];
  /** Progress as it came: a client may drop what arrives together with the result. */
  progress: Progress[];
}

/** Who answers what the server asks. */
export interface User {
  fillIn: (form: ElicitFormParams) => ElicitResult;
  think: (params: CreateMessageParams) => CreateMessageResult;
  folders: () => Root[];
}

export const CLIENT_INFO = { name: 'interop', version: '1.0.0' };
export const CLIENT_CAPABILITIES = { elicitation: { form: {} }, sampling: {}, roots: {} };

export function createUser(): User {
  return {
    fillIn: () => ({ action: 'accept', content: { guests: 6, diet: 'vegan', terrace: true } }),
    think: () => ({ role: 'assistant', content: { type: 'text', text: 'a Bandol' }, model: 'sommelier-1' }),
    folders: () => [{ uri: 'file:///home/chef/recipes', name: 'recipes' }],
  };
}

export function createHeard(): Heard {
  return { logs: [], updated: [], toolChanges: 0, errors: [], progress: [] };
}

/** Listens in on a transport whose client is already connected. */
export function tap(transport: { onmessage?: unknown }, heard: Heard): void {
  const deliver = transport.onmessage as (message: object, extra?: unknown) => void;
  transport.onmessage = (message: Message, extra?: unknown) => {
    if (message.error) heard.errors.push(message.error.code);
    if (message.method === 'notifications/progress') {
      const { progressToken: _token, ...progress } = message.params as Progress & { progressToken: unknown };
      heard.progress.push(progress);
    }
    deliver(message, extra);
  };
}

interface Message {
  method?: string;
  params?: unknown;
  error?: { code: number };
}
