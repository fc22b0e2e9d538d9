import { UsageError } from '../../base/errors.js';
import { isObject, type JsonObject, quoteBriefly } from '../../base/json.js';
import { checkOptions } from '../../base/options.js';
import { messageOf } from '../../base/thrown.js';
import { forEachInTurns } from '../../base/turns.js';
import { isForModels } from '../../protocol/apps.js';
import { McpError } from '../../protocol/errors.js';
import type { CallToolResult, Tool } from '../../protocol/tools.js';
import type { CallOptions } from '../call-options.js';
import {
  type AnthropicTool,
  type AnthropicToolCall,
  type AnthropicToolResult,
  anthropic,
} from './anthropic.js';
import type { Format, ToolToDefine } from './format.js';
import { type GeminiTool, type GeminiToolCall, type GeminiToolResult, gemini } from './gemini.js';
import { FUNCTION_NAME, modelNames } from './names.js';
import { type OpenAITool, type OpenAIToolCall, type OpenAIToolResult, openai } from './openai.js';
import {
  type OpenAIChatTool,
  type OpenAIChatToolCall,
  type OpenAIChatToolResult,
  openaiChat,
} from './openai-chat.js';
import { toParts } from './result-parts.js';
import { describeTool, type SchemaRewriter } from './rewrite.js';

/** The APIs of models, each with its definitions of tools, its calls and its results. */
export interface ModelFormats {
  /** OpenAI's Responses API. */
  openai: { definition: OpenAITool; call: OpenAIToolCall; result: OpenAIToolResult };
  /** OpenAI's Chat Completions API, which many others speak, too. */
  'openai-chat': { definition: OpenAIChatTool; call: OpenAIChatToolCall; result: OpenAIChatToolResult };
  /** Anthropic's Messages API. */
  anthropic: { definition: AnthropicTool; call: AnthropicToolCall; result: AnthropicToolResult };
  /** The Gemini API, and Vertex AI. */
  gemini: { definition: GeminiTool; call: GeminiToolCall; result: GeminiToolResult };
}

/** The name of an API of a model. */
export type ModelFormat = keyof ModelFormats;

/** Where tools come from: a `Client`, or a `ClientGroup` of several servers. */
export interface ToolSource {
  tools(options?: CallOptions): Promise<Tool[]>;
  callTool(name: string, args?: object, options?: CallOptions): Promise<CallToolResult>;
}

/** Options of `toModelTools`. */
export interface ModelToolsOptions<F extends ModelFormat = ModelFormat> {
  /** The API that the definitions are for. */
  format: F;
  /**
   * Whether the model is held to the schemas, for OpenAI; true by default. A tool that a strict function cannot take
   * becomes a function that is not strict.
   */
  strict?: boolean | undefined;
  /** Whether the model takes pictures in results; true by default. Without it, a text names each picture. */
  images?: boolean | undefined;
  /** Chooses the tools that the model gets; all by default. Tools for pages of apps are never among them. */
  select?: ((tool: Tool) => boolean) | undefined;
  /** Options of the request that lists the tools. */
  list?: CallOptions | undefined;
}

/** The call of a tool that a model asked for, or why there is none. */
export type ResolvedCall =
  | { tool: Tool & { server?: string }; arguments: JsonObject; problem?: undefined }
  | { tool?: undefined; arguments?: undefined; problem: string };

/** The tools of servers in the format of a model. Created by `toModelTools`. */
export interface ModelTools<F extends ModelFormat = ModelFormat> {
  /** The value of `tools` in a request to the model. */
  readonly definitions: ModelFormats[F]['definition'][];
  /**
   * The tool that a call of the model means, and its arguments, so that a host can ask its user first. A model may call
   * a function that does not exist; then `problem` says so.
   */
  resolve(call: ModelFormats[F]['call']): ResolvedCall;
  /**
   * Calls the tool that the model asked for, and gives the result in the model's format. A tool that fails, or does not
   * exist, gives a result that tells the model; a connection that fails throws.
   */
  call(call: ModelFormats[F]['call'], options?: CallOptions): Promise<ModelFormats[F]['result']>;
}

const FORMATS: { [F in ModelFormat]: FormatOf<F> } = { openai, 'openai-chat': openaiChat, anthropic, gemini };

type FormatOf<F extends ModelFormat> = Format<
  ModelFormats[F]['definition'],
  ModelFormats[F]['call'],
  ModelFormats[F]['result']
>;

/**
 * The tools of a client, or of a group of clients, as functions for a model: names and schemas as its API demands them,
 * and the way back from the model's calls to the tools.
 *
 * @example
 * const tools = await toModelTools(client, { format: 'anthropic' });
 * const message = await claude.messages.create({ model, max_tokens, messages, tools: tools.definitions });
 * for (const block of message.content) {
 *   if (block.type === 'tool_use') results.push(await tools.call(block));
 * }
 */
export async function toModelTools<F extends ModelFormat>(
  source: ToolSource,
  options: ModelToolsOptions<F>,
): Promise<ModelTools<F>> {
  checkOptions(options, OPTIONS, 'toModelTools');
  const format: FormatOf<F> | undefined = Object.hasOwn(FORMATS, options.format)
    ? FORMATS[options.format]
    : undefined;
  if (!format) {
    const known = Object.keys(FORMATS).join(', ');
    throw new UsageError(`the format ${quoteBriefly(options.format)} is not known; there are ${known}`);
  }
  const { strict = true, images = true, select = () => true } = options;
  const tools = (await source.tools(options.list)).filter(tool => isForModels(tool) && select(tool));
  const functions = await toFunctions(tools, format.rewriter(strict));
  const takesImages = images && format.takesImages;
  const resolve = (call: ModelFormats[F]['call']): ResolvedCall => resolveCall(functions, format.read(call));
  return {
    definitions: format.define([...functions.values()]),
    resolve,
    async call(call, callOptions) {
      const resolved = resolve(call);
      const result = resolved.tool
        ? await callTool(source, resolved, callOptions)
        : failure(resolved.problem ?? '');
      return format.answer(call, toParts(result, takesImages), result.isError === true);
    },
  };
}

const OPTIONS = { format: 1, strict: 1, images: 1, select: 1, list: 1 } as const;

interface ModelFunction extends ToolToDefine {
  tool: Tool;
  restore: (value: unknown) => unknown;
}

/** The cost of rewriting a tool, in units of turns. */
const TOOL_COST = 16 * 1024;

/** The functions by the names that the model sees. Of two tools with one name, the first counts, as with servers. */
async function toFunctions(
  tools: readonly Tool[],
  rewrite: SchemaRewriter,
): Promise<Map<string, ModelFunction>> {
  const names = modelNames(
    tools.map(({ name }) => name),
    FUNCTION_NAME,
  );
  const functions = new Map<string, ModelFunction>();
  // In turns, so that a very long list does not block other work of the process.
  await forEachInTurns(tools, tool => {
    const name = names.get(tool.name) as string;
    if (!functions.has(name)) {
      const { notes, ...rewritten } = rewrite(tool.inputSchema);
      functions.set(name, { name, tool, description: describeTool(tool, notes), ...rewritten });
    }
    return TOOL_COST;
  });
  return functions;
}

function resolveCall(
  functions: ReadonlyMap<string, ModelFunction>,
  { name, args }: { name: string; args: unknown },
): ResolvedCall {
  const found = functions.get(name);
  if (!found)
    return { problem: `There is no tool ${quoteBriefly(name)}. Use one of the tools that are listed.` };
  const parsed = typeof args === 'string' ? parse(args) : args;
  const restored = found.restore(parsed ?? {});
  if (!isObject(restored))
    return { problem: `The arguments of ${name} must be a JSON object. Call it again.` };
  return { tool: found.tool, arguments: restored };
}

/** A model without arguments to send may send no text at all. */
function parse(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The model can mend what a server refuses, such as invalid arguments, so it gets the message. */
async function callTool(
  source: ToolSource,
  { tool, arguments: args }: ResolvedCall & { tool: Tool },
  options: CallOptions | undefined,
): Promise<CallToolResult> {
  try {
    return await source.callTool(tool.name, args, options);
  } catch (error) {
    if (error instanceof McpError) return failure(messageOf(error));
    throw error;
  }
}

function failure(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}
