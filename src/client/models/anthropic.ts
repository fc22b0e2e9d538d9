import type { Format } from './format.js';
import { forAnthropic } from './rewrite.js';

/** A tool in `tools` of Anthropic's Messages API. */
export interface AnthropicTool {
  name: string;
  description?: string;
  input_schema: { type: 'object'; [keyword: string]: unknown };
}

/** A block of type `tool_use` in an answer of Anthropic's Messages API. */
export interface AnthropicToolCall {
  type?: 'tool_use';
  id: string;
  name: string;
  input: unknown;
}

/** A picture in a result for Anthropic's Messages API. */
export interface AnthropicImage {
  type: 'image';
  source: {
    type: 'base64';
    media_type: 'image/jpeg' | 'image/png' | 'image/gif' | 'image/webp';
    data: string;
  };
}

/** A block for the next message of the user in Anthropic's Messages API. */
export interface AnthropicToolResult {
  type: 'tool_result';
  tool_use_id: string;
  content: ({ type: 'text'; text: string } | AnthropicImage)[];
  is_error?: boolean;
}

/** @see https://docs.claude.com/en/docs/agents-and-tools/tool-use/implement-tool-use */
export const anthropic: Format<AnthropicTool, AnthropicToolCall, AnthropicToolResult> = {
  rewriter: () => forAnthropic,
  define: tools =>
    tools.map(({ name, description, schema }) => ({
      name,
      ...(description !== undefined && { description }),
      input_schema: { ...schema, type: 'object' },
    })),
  read: ({ name, input }) => ({ name, args: input }),
  answer: ({ id }, parts, isError) => ({
    type: 'tool_result',
    tool_use_id: id,
    // The API refuses texts that are empty.
    content: parts
      .filter(part => part.type === 'image' || part.text !== '')
      .map(part =>
        part.type === 'text'
          ? part
          : {
              type: 'image',
              source: {
                type: 'base64',
                media_type: part.mimeType as AnthropicImage['source']['media_type'],
                data: part.data,
              },
            },
      ),
    ...(isError && { is_error: true }),
  }),
  takesImages: true,
};
