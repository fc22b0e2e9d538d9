import type { Format } from './format.js';
import { joinTexts } from './result-parts.js';
import { forOpenAI, forOpenAIStrict } from './rewrite.js';

/** A function in `tools` of OpenAI's Chat Completions API. */
export interface OpenAIChatTool {
  type: 'function';
  function: {
    name: string;
    description?: string;
    parameters: Record<string, unknown>;
    strict: boolean;
  };
}

/** A member of `tool_calls` in a message of OpenAI's Chat Completions API. */
export interface OpenAIChatToolCall {
  type?: 'function';
  id: string;
  function: {
    name: string;
    /** JSON text. */
    arguments: string;
  };
}

/** A message for the next request to OpenAI's Chat Completions API. */
export interface OpenAIChatToolResult {
  role: 'tool';
  tool_call_id: string;
  content: string;
}

/** @see https://platform.openai.com/docs/api-reference/chat */
export const openaiChat: Format<OpenAIChatTool, OpenAIChatToolCall, OpenAIChatToolResult> = {
  rewriter: strict => (strict ? forOpenAIStrict : forOpenAI),
  define: tools =>
    tools.map(({ name, description, schema, isStrict }) => ({
      type: 'function',
      function: {
        name,
        ...(description !== undefined && { description }),
        parameters: schema,
        strict: isStrict,
      },
    })),
  read: ({ function: { name, arguments: args } }) => ({ name, args }),
  answer: ({ id }, parts, isError) => ({
    role: 'tool',
    tool_call_id: id,
    content: (isError ? 'Error: ' : '') + joinTexts(parts),
  }),
  // Messages of tools have text only.
  takesImages: false,
};
