import { isCount, isObject, type JsonObject, quoteBriefly } from '../base/json.js';
import { parseUrl } from '../base/url.js';
import { annotationsProblem } from './annotations.js';
import { isSamplingBlock } from './answer-problem.js';
import { isBase64, isMimeType } from './content.js';
import { formProblem } from './form.js';
import { blocksOf, type InputRequest, type SamplingMessage } from './input.js';

/** The reason why a question that a handler asks by hand cannot be asked; undefined if it can. */
export function questionProblem(request: unknown): string | undefined {
  if (!isObject(request)) return 'it must be an object with a method';
  const { method, params } = request as { method: InputRequest['method']; params: unknown };
  switch (method) {
    case 'elicitation/create':
      return isObject(params) ? elicitationProblem(params) : NO_PARAMS;
    case 'sampling/createMessage':
      return isObject(params) ? samplingProblem(params) : NO_PARAMS;
    case 'roots/list':
      return params === undefined || isObject(params) ? undefined : NO_PARAMS;
    default:
      return `its method must be elicitation/create, sampling/createMessage or roots/list, not ${quoteBriefly(method)}`;
  }
}

const NO_PARAMS = 'its params must be an object';

function elicitationProblem({ mode, message, ...params }: JsonObject): string | undefined {
  if (typeof message !== 'string') return 'its message must be a text';
  if (mode === 'url') return pageProblem(params);
  if (mode !== undefined && mode !== 'form') return `its mode must be form or url, not ${quoteBriefly(mode)}`;
  return isObject(params.requestedSchema)
    ? formProblem(params.requestedSchema)
    : 'its requestedSchema must be a JSON Schema';
}

function pageProblem({ url, elicitationId }: JsonObject): string | undefined {
  const parsed = typeof url === 'string' && parseUrl(url);
  if (!parsed) return `its url must be a URL, not ${quoteBriefly(url)}`;
  if (!isPageUrl(parsed)) return `its url must begin with https: or http:, not ${quoteBriefly(url)}`;
  const isId = elicitationId === undefined || typeof elicitationId === 'string';
  return isId ? undefined : 'its elicitationId must be a text';
}

/** Clients show no other pages: opening any other URL may run code or read files. */
export function isPageUrl({ protocol }: URL): boolean {
  return protocol === 'https:' || protocol === 'http:';
}

const MODES: ReadonlySet<unknown> = new Set([undefined, 'auto', 'required', 'none']);

const CONTEXTS: ReadonlySet<unknown> = new Set([undefined, 'none', 'thisServer', 'allServers']);

function samplingProblem(params: JsonObject): string | undefined {
  const {
    messages,
    maxTokens,
    temperature = 0,
    systemPrompt = '',
    stopSequences = [],
    includeContext,
    metadata = {},
    tools = [],
    toolChoice = {},
  } = params;
  if (!isCount(maxTokens) || maxTokens === 0) return 'its maxTokens must be a whole number, 1 or more';
  if (!Number.isFinite(temperature)) return 'its temperature must be a number';
  if (!CONTEXTS.has(includeContext)) return 'its includeContext must be none, thisServer or allServers';
  if (!isObject(toolChoice) || !MODES.has(toolChoice.mode))
    return 'the mode of its toolChoice must be auto, required or none';
  if (typeof systemPrompt !== 'string') return 'its systemPrompt must be a text';
  if (!Array.isArray(stopSequences) || !stopSequences.every(text => typeof text === 'string'))
    return 'its stopSequences must be a list of texts';
  if (!isObject(metadata)) return 'its metadata must be an object';
  if (!Array.isArray(tools) || !tools.every(isTool))
    return 'its tools must be a list of tools, each with a name and an object as inputSchema';
  return (
    preferencesProblem(params.modelPreferences) ??
    conversationProblem(messages) ??
    blockProblem(messages as SamplingMessage[]) ??
    annotationProblem(messages as SamplingMessage[])
  );
}

function isTool(tool: unknown): boolean {
  return isObject(tool) && typeof tool.name === 'string' && isObject(tool.inputSchema);
}

function preferencesProblem(preferences: unknown = {}): string | undefined {
  if (!isObject(preferences)) return 'its modelPreferences must be an object';
  const { hints = [] } = preferences;
  if (!Array.isArray(hints) || !hints.every(isHint))
    return 'its hints must be a list of objects with the name of a model';
  const wrong = ['costPriority', 'speedPriority', 'intelligencePriority'].find(name => {
    const { [name]: priority = 0 } = preferences;
    return !(typeof priority === 'number' && priority >= 0 && priority <= 1);
  });
  return wrong && `its ${wrong} must be a number from 0 to 1`;
}

function isHint(hint: unknown): boolean {
  return isObject(hint) && (hint.name === undefined || typeof hint.name === 'string');
}

function annotationProblem(messages: readonly SamplingMessage[]): string | undefined {
  for (const block of messages.flatMap(blocksOf)) {
    const problem = 'annotations' in block && annotationsProblem(block.annotations);
    if (problem) return `a message to a model has a block ${problem}`;
  }
  return undefined;
}

/** Why the blocks of these messages cannot be used; undefined if they can. */
export function blockProblem(messages: readonly SamplingMessage[]): string | undefined {
  for (const block of messages.flatMap(blocksOf)) {
    if (!isSamplingBlock(block))
      return `a message to a model has complete blocks of text, image, audio, tool_use or tool_result, unlike one of type ${quoteBriefly(block.type)}`;
    if (block.type !== 'image' && block.type !== 'audio') continue;
    if (!isBase64(block.data)) return `the data of an ${block.type} must be base64`;
    if (!isMimeType(block.mimeType))
      return `the mimeType of an ${block.type} must be one such as image/png, not ${quoteBriefly(block.mimeType)}`;
  }
  return undefined;
}

/** The reason why a model cannot be asked with these messages; undefined if it can. Both sides check them. */
export function conversationProblem(messages: unknown): string | undefined {
  return Array.isArray(messages) && messages.every(isMessage)
    ? toolResultProblem(messages as SamplingMessage[])
    : 'the messages must be a list of objects with the role "user" or "assistant" and content';
}

/**
 * Checks the tool results in a conversation: a message with tool uses must be followed by a message with the results of
 * all of them, and nothing else. Returns the problem; undefined if there is none.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/client/sampling#tool-use-and-result-balance
 */
function toolResultProblem(messages: readonly SamplingMessage[]): string | undefined {
  let used: readonly string[] = [];
  for (const message of messages) {
    const { role } = message;
    const blocks = blocksOf(message);
    const results = blocks.flatMap(block => (block.type === 'tool_result' ? [block.toolUseId] : []));
    if (results.length > 0 && (role !== 'user' || results.length < blocks.length)) {
      return 'a message with tool results must have the role "user" and contain nothing else';
    }
    const missing = used.find(id => !results.includes(id));
    if (missing !== undefined)
      return `the message after the tool use ${quoteBriefly(missing)} must have its result`;
    const unknown = results.find(id => !used.includes(id));
    if (unknown !== undefined)
      return `the message before the result of ${quoteBriefly(unknown)} has no such tool use`;
    used = blocks.flatMap(block => (block.type === 'tool_use' ? [block.id] : []));
  }
  return used.length > 0 ? `the tool use ${quoteBriefly(used[0])} has no result` : undefined;
}

function isMessage(message: unknown): boolean {
  if (!isObject(message) || (message.role !== 'user' && message.role !== 'assistant')) return false;
  return Array.isArray(message.content) ? message.content.every(isObject) : isObject(message.content);
}
