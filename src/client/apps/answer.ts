import { isObject, type JsonObject, quoteBriefly } from '../../base/json.js';
import { parseUrl } from '../../base/url.js';
import { isForApps } from '../../protocol/apps.js';
import type { ContentBlock } from '../../protocol/content.js';
import { invalidParams, McpError, methodNotFound } from '../../protocol/errors.js';
import type { Tool } from '../../protocol/tools.js';
import type { AppClient } from './client.js';
import type { AppContext, AppRequest, ShowAppOptions } from './options.js';

/** The code that the specification has for what the host or its user does not want. */
const DENIED = -32000;

/** Answers the requests of one app, as far as the user agrees. */
export class Answering {
  readonly #client: AppClient;
  readonly #options: ShowAppOptions;
  #tools: Promise<Tool[]> | undefined;

  constructor(client: AppClient, options: ShowAppOptions) {
    this.#client = client;
    this.#options = options;
  }

  /** What apps are told that the host can do. */
  get capabilities(): JsonObject {
    const { openLink, sendMessage, updateContext, onLog } = this.#options;
    return {
      serverTools: { listChanged: true },
      serverResources: {},
      ...(openLink && { openLinks: {} }),
      ...(sendMessage && { message: { text: {} } }),
      ...(updateContext && { updateModelContext: { text: {}, structuredContent: {} } }),
      ...(onLog && { logging: {} }),
    };
  }

  /** The list of tools is read again when an app next calls one. */
  forgetTools(): void {
    this.#tools = undefined;
  }

  async answer(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    switch (method) {
      case 'ping':
        return {};
      case 'tools/call':
        return this.#call(params, signal);
      case 'resources/read':
        return this.#read(params, signal);
      case 'resources/list':
        return { resources: await this.#client.resources() };
      case 'ui/open-link':
        return this.#open(params, signal);
      case 'ui/message':
        return this.#say(params, signal);
      case 'ui/update-model-context':
        return this.#tell(params, signal);
      case 'ui/request-display-mode':
        return { mode: 'inline' };
    }
    throw methodNotFound(method);
  }

  async #call({ name, arguments: args = {} }: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    if (typeof name !== 'string' || !isObject(args))
      throw invalidParams('tools/call needs the name of a tool, and an object of arguments');
    const tool = await this.#find(name);
    // Tools that are not for apps are not there for them.
    if (!tool) throw invalidParams(`the server has no tool ${quoteBriefly(name)} for apps`);
    await this.#ask({ kind: 'call', tool, arguments: args }, `the call of ${quoteBriefly(name)}`, signal);
    return this.#client.request('tools/call', { name, arguments: args }, { signal });
  }

  async #find(name: string): Promise<Tool | undefined> {
    const known = this.#tools;
    const find = (tools: readonly Tool[]) => tools.find(tool => tool.name === name && isForApps(tool));
    const found = known && find(await known.catch(() => []));
    if (found) return found;
    this.#tools = this.#client.tools();
    return find(await this.#tools);
  }

  async #read({ uri }: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    if (typeof uri !== 'string') throw invalidParams('resources/read needs the URI of a resource');
    await this.#ask({ kind: 'read', uri }, `to read ${quoteBriefly(uri)}`, signal);
    return this.#client.request('resources/read', { uri }, { signal });
  }

  async #open({ url }: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const { openLink } = this.#options;
    if (!openLink) throw methodNotFound('ui/open-link');
    const target = typeof url === 'string' ? parseUrl(url) : undefined;
    if (!target || !['http:', 'https:'].includes(target.protocol))
      throw new McpError(DENIED, `only http and https links are opened, and not ${quoteBriefly(url)}`);
    await this.#ask({ kind: 'link', url: target.href }, `to open ${target.host}`, signal);
    await openLink(target.href);
    return {};
  }

  async #say({ content }: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const { sendMessage } = this.#options;
    if (!sendMessage) throw methodNotFound('ui/message');
    const blocks = blocksOf(content);
    if (!blocks) throw invalidParams('ui/message needs content: a list of blocks');
    await this.#ask({ kind: 'message', content: blocks }, 'the message', signal);
    await sendMessage(blocks);
    return {};
  }

  async #tell({ content, structuredContent }: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const { updateContext } = this.#options;
    if (!updateContext) throw methodNotFound('ui/update-model-context');
    const blocks = content === undefined ? undefined : blocksOf(content);
    if (
      (content !== undefined && !blocks) ||
      (structuredContent !== undefined && !isObject(structuredContent))
    )
      throw invalidParams(
        'ui/update-model-context takes a list of blocks, and an object as structured content',
      );
    const context: AppContext = { content: blocks, structuredContent };
    await this.#ask({ kind: 'context', context }, 'to tell the model something', signal);
    await updateContext(context);
    return {};
  }

  /** Only `true` is a yes. */
  async #ask(request: AppRequest, wish: string, signal: AbortSignal): Promise<void> {
    const isAllowed = await this.#options.approve(request, { signal });
    signal.throwIfAborted();
    if (isAllowed !== true) throw new McpError(DENIED, `the user refused ${wish}`);
  }
}

/** Blocks of content; apps of the first drafts send one alone. */
function blocksOf(content: unknown): ContentBlock[] | undefined {
  const blocks: unknown[] = Array.isArray(content) ? content : [content];
  return blocks.every(block => isObject(block) && typeof block.type === 'string')
    ? (blocks as ContentBlock[])
    : undefined;
}
