import type { Format } from './format.js';
import { joinTexts } from './result-parts.js';
import { forGemini } from './rewrite.js';

/** A member of `config.tools` of the Gemini API, with all functions. */
export interface GeminiTool {
  functionDeclarations: {
    name: string;
    description?: string;
    parametersJsonSchema: Record<string, unknown>;
  }[];
}

/** A member of `functionCalls` in an answer of the Gemini API. */
export interface GeminiToolCall {
  id?: string | undefined;
  name?: string | undefined;
  args?: Record<string, unknown> | undefined;
}

/** A part for the next content of the user in the Gemini API. */
export interface GeminiToolResult {
  functionResponse: {
    id?: string;
    name: string;
    response: { output: string } | { error: string };
    /** Pictures, which Gemini 3 and later take. */
    parts?: { inlineData: { mimeType: string; data: string } }[];
  };
}

/** @see https://ai.google.dev/gemini-api/docs/function-calling */
export const gemini: Format<GeminiTool, GeminiToolCall, GeminiToolResult> = {
  rewriter: () => forGemini,
  define: tools => {
    const functionDeclarations = tools.map(({ name, description, schema }) => ({
      name,
      ...(description !== undefined && { description }),
      parametersJsonSchema: schema,
    }));
    return functionDeclarations.length > 0 ? [{ functionDeclarations }] : [];
  },
  read: ({ name = '', args = {} }) => ({ name, args }),
  answer: ({ id, name = '' }, parts, isError) => {
    const text = joinTexts(parts);
    const images = parts.flatMap(part =>
      part.type === 'image' ? [{ inlineData: { mimeType: part.mimeType, data: part.data } }] : [],
    );
    return {
      functionResponse: {
        ...(id !== undefined && { id }),
        name,
        response: isError ? { error: text } : { output: text },
        ...(images.length > 0 && { parts: images }),
      },
    };
  },
  takesImages: true,
};
