import type { JsonObject } from '../base/json.js';
import type { ContentBlock, Icon, Role } from './content.js';

/** An argument of a prompt as it is listed. */
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

/** A message of a prompt. */
export interface PromptMessage {
  role: Role;
  content: ContentBlock;
}

/** One page of prompts. */
export interface ListPromptsResult {
  prompts: Prompt[];
  nextCursor?: string;
}

/** A prompt with its arguments filled in. */
export interface GetPromptResult {
  description?: string;
  messages: PromptMessage[];
  _meta?: JsonObject;
}
