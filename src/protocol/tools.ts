import type { JsonObject, JsonSchema } from '../base/json.js';
import type { ContentBlock, Icon } from './content.js';

/** Hints about what a tool does; a client must not trust them blindly. */
export interface ToolAnnotations {
  title?: string;
  readOnlyHint?: boolean;
  destructiveHint?: boolean;
  idempotentHint?: boolean;
  openWorldHint?: boolean;
}

/**
 * A tool as it is listed.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools#tool
 */
export interface Tool {
  name: string;
  title?: string;
  description?: string;
  inputSchema: JsonSchema;
  outputSchema?: JsonSchema;
  annotations?: ToolAnnotations;
  icons?: Icon[];
  _meta?: JsonObject;
}

/** The result of a tool call. */
export interface CallToolResult {
  content: ContentBlock[];
  structuredContent?: unknown;
  isError?: boolean;
  _meta?: JsonObject;
}

/** A result that tells the model about a failure. */
export interface ToolFailure extends CallToolResult {
  isError: true;
}

/** One page of tools. */
export interface ListToolsResult {
  tools: Tool[];
  nextCursor?: string;
}
