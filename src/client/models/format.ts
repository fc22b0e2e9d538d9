import type { ResultPart } from './result-parts.js';
import type { SchemaRewriter } from './rewrite.js';

/** A call of a function, as the model sent it. */
export interface SentCall {
  name: string;
  /** JSON text, or an object. */
  args: unknown;
}

/** A tool with everything that a definition for a model has. */
export interface ToolToDefine {
  name: string;
  description: string | undefined;
  schema: Record<string, unknown>;
  isStrict: boolean;
}

/** How one API of a vendor writes definitions, calls and results. */
export interface Format<Definition, ToolCall, ToolResult> {
  rewriter: (strict: boolean) => SchemaRewriter;
  /** The value of `tools` in a request. */
  define: (tools: readonly ToolToDefine[]) => Definition[];
  read: (call: ToolCall) => SentCall;
  answer: (call: ToolCall, parts: readonly ResultPart[], isError: boolean) => ToolResult;
  takesImages: boolean;
}
