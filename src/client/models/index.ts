export { type ErrorKind, TenonError, UsageError } from '../../base/errors.js';
export type {
  AnthropicImage,
  AnthropicTool,
  AnthropicToolCall,
  AnthropicToolResult,
} from './anthropic.js';
export type { GeminiTool, GeminiToolCall, GeminiToolResult } from './gemini.js';
export {
  type ModelFormat,
  type ModelFormats,
  type ModelTools,
  type ModelToolsOptions,
  type ResolvedCall,
  type ToolSource,
  toModelTools,
} from './model-tools.js';
export type { OpenAITool, OpenAIToolCall, OpenAIToolResult } from './openai.js';
export type { OpenAIChatTool, OpenAIChatToolCall, OpenAIChatToolResult } from './openai-chat.js';
