import type { JsonObject } from '../base/json.js';
import type { ContentBlock, Icon, Role } from './content.js';

export interface PromptArgument {
  name: string;
  title?: string;
  description?: string;
  required?: boolean;
}

/**
 * A prompt as it is listed.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/server/prompts#prompt
 */
export interface Prompt {
  name: string;
  title?: string;
  description?: string;
  arguments?: PromptArgument[];
  icons?: Icon[];
  _meta?: JsonObject;
}

export interface PromptMessage {
  role: Role;
  content: ContentBlock;
}

export interface ListPromptsResult {
  prompts: Prompt[];
  nextCursor?: string;
}

export interface GetPromptResult {
  description?: string;
  messages: PromptMessage[];
  _meta?: JsonObject;
}
