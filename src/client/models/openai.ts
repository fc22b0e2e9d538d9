import type { Format } from './format.js';
import { joinTexts } from './result-parts.js';
import { forOpenAI, forOpenAIStrict } from './rewrite.js';

/** A function in `tools` of OpenAI's Responses API. */
export interface OpenAITool {
  type: 'function';
  name: string;
  description?: string;
  parameters: Record<string, unknown>;
  strict: boolean;
}

/** An item of type `function_call` in the output of OpenAI's Responses API. */
export interface OpenAIToolCall {
  type?: 'function_call';
  call_id: string;
  name: string;
  /** JSON text. */
  arguments: string;
}

/** An item for the input of the next request to OpenAI's Responses API. */
export interface OpenAIToolResult {
  type: 'function_call_output';
  call_id: string;
  output:
    | string
    | ({ type: 'input_text'; text: string } | { type: 'input_image'; image_url: string; detail: 'auto' })[];
}

/** @see https://platform.openai.com/docs/guides/function-calling */
export const openai: Format<OpenAITool, OpenAIToolCall, OpenAIToolResult> = {
  rewriter: strict => (strict ? forOpenAIStrict : forOpenAI),
  define: tools =>
    tools.map(({ name, description, schema, isStrict }) => ({
      type: 'function',
      name,
      ...(description !== undefined && { description }),
      parameters: schema,
      strict: isStrict,
    })),
  read: ({ name, arguments: args }) => ({ name, args }),
  answer: ({ call_id }, parts, isError) => {
    const hasImages = parts.some(({ type }) => type === 'image');
    const failed = isError ? 'Error: ' : '';
    if (!hasImages) return { type: 'function_call_output', call_id, output: failed + joinTexts(parts) };
    const output = parts.map(part =>
      part.type === 'text'
        ? ({ type: 'input_text', text: part.text } as const)
        : ({
            type: 'input_image',
            image_url: `data:${part.mimeType};base64,${part.data}`,
            detail: 'auto',
          } as const),
    );
    const first = isError ? [{ type: 'input_text', text: 'Error:' } as const] : [];
    return { type: 'function_call_output', call_id, output: [...first, ...output] };
  },
  takesImages: true,
};
