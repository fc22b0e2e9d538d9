import type { Change } from '../protocol/changes.js';
import { endAtOnce } from './end-at-once.js';
// Without this reference, projects that lack the library in their `lib` could not compile the declarations.
/// <reference lib="esnext.disposable" preserve="true" />

import type { StandardSchemaV1 } from '@standard-schema/spec';
import { UsageError } from '../base/errors.js';
import type { JsonObject } from '../base/json.js';
import { type ClientCapabilities, extensionSettings } from '../protocol/capabilities.js';
import type { CompleteResult, CompletionReference } from '../protocol/completion.js';
import type { InputResponse } from '../protocol/input.js';
import type { LogLevel } from '../protocol/logging.js';
import type { GetPromptResult, ListPromptsResult, Prompt } from '../protocol/prompts.js';
import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
} from '../protocol/resources.js';
import type { CallToolResult, ListToolsResult, Tool } from '../protocol/tools.js';
import {
  type AnswerOptions,
  answerCapabilities,
  type HandlerContext,
  withDeclared,
} from './answer-options.js';
import { memoryCache, ResultCache } from './cache.js';
import { CacheOwner } from './cache-owner.js';
import type { CallOptions } from './call-options.js';
import { Callbacks } from './callbacks.js';
import type { ChangeFilter, ChangeOptions, ServerChange } from './changes.js';
import type { InstalledExtensions } from './extensions/install.js';
import { timeLimits } from './limits.js';
import type { ConnectedServer, LinkHost, RequestOptions } from './link.js';
import { LinkKeeper, type Location } from './link-keeper.js';
import { type ClientMiddleware, ClientMiddlewareStack } from './middleware.js';
import type { Negotiated } from './negotiate.js';
import type { ClientOptions } from './options.js';
import { Outbox } from './outbox.js';
import { checkLogLevel } from './own-params.js';
import type { QuestionRate } from './question-rate.js';
import type { HeldRequest, RoundOutcome } from './rounds.js';
import type { TypedToolResult } from './tool-output.js';
import { typedResult } from './typed-result.js';
import { VERSION } from './version.js';

/** The tools of a server by name, for authors who know them when they write the client. */
export type ToolTypes = Record<string, { args: unknown; output: unknown }>;

/**
 * A connection to one server, of any revision. Created by `connect`.
 *
 * @example
 * const client = await connect('https://bistro.example/mcp', { onElicit: form => askTheUser(form) });
 * const { content } = await client.callTool('reserve', { restaurant: 'Chez Nous' });
 * await client.close();
 */
export class Client<Tools extends ToolTypes = ToolTypes> implements AsyncDisposable {
  readonly #options: ClientOptions;
  /** The second argument of the author's handlers. */
  readonly #context: HandlerContext;
  readonly #callbacks: Callbacks;
  readonly #host: Omit<LinkHost, 'lost' | 'opening'>;
  readonly #keeper: LinkKeeper;
  readonly #outbox: Outbox;
  /** The handlers that answer the server's questions; `setRoots` replaces the roots. */
  #answers: AnswerOptions;
  readonly #extensions: InstalledExtensions | undefined;
  readonly #middleware = new ClientMiddlewareStack(
    message => this.#callbacks.warn(message),
    async (method, { _meta }) => {
      if (_meta !== undefined) (await import('./on-demand.js')).checkOwnMeta(_meta, method);
    },
    () => import('./on-demand.js'),
  );
  /** Undefined if any number of questions is answered. */
  readonly #rate: QuestionRate | undefined;

  /** Use `connect`. */
  constructor(
    location: Location,
    options: ClientOptions,
    extensions?: InstalledExtensions,
    rate?: QuestionRate,
  ) {
    if (options.logLevel !== undefined) checkLogLevel(options.logLevel);
    this.#options = options;
    this.#context = { server: options.serverName ?? location.label };
    this.#callbacks = new Callbacks(options, this.#context);
    this.#answers = options;
    this.#extensions = extensions;
    for (const layer of [...(extensions?.middleware ?? []), ...(options.middleware ?? [])]) this.use(layer);
    this.#rate = rate;
    const { cache = memoryCache(), cachePartition = crypto.randomUUID(), staleIfError = false } = options;
    this.#host = this.#createHost();
    const results = cache && new ResultCache(cache, location.name, this.#host.capabilities);
    this.#keeper = new LinkKeeper(location, options, this.#context, this.#host);
    const owner = new CacheOwner(cachePartition, location.credentials);
    this.#outbox = new Outbox(this.#keeper, {
      serverName: this.#context.server,
      limits: timeLimits(options),
      cache: results ? { results, owner, staleIfError } : undefined,
      answer: async (questions, signals) => {
        this.#rate?.count(Object.keys(questions).length);
        const { answerAll } = await import('./on-demand.js');
        return answerAll(this.#answers, questions, this.#context.server, signals, this.#middleware);
      },
      middleware: this.#middleware,
      extensions,
      tell: callback => this.#callbacks.call(callback),
      warn: this.#host.warn,
    });
  }

  /** The revision in use, such as `2026-07-28`. */
  get revision(): string {
    return this.#keeper.link.revision;
  }

  /** The server's name and version, its capabilities, and its instructions. */
  get server(): ConnectedServer {
    const { server } = this.#keeper.link;
    return { ...server, extension: id => extensionSettings(server.capabilities, id) };
  }

  /** The names of all middleware, outermost first. */
  get middleware(): readonly string[] {
    return this.#middleware.layers.map(({ name }) => name);
  }

  /**
   * Runs middleware around every message from now on: a function around requests, or an object with functions for several
   * kinds. The first one is the outermost; that of extensions and of `connect` comes before all others.
   */
  use(middleware: ClientMiddleware): void {
    this.#middleware.add(middleware);
  }

  /** The outcome of the negotiation. Store it and pass it to `connect` to skip the probe next time. */
  get negotiated(): Negotiated {
    return this.#keeper.negotiated;
  }

  /** Connects, unless the client is connected already. */
  async open(): Promise<this> {
    await this.#keeper.open();
    return this;
  }

  // Tools

  /** All tools, over all pages. */
  async tools(options: CallOptions = {}): Promise<Tool[]> {
    return this.#outbox.list('tools/list', 'tools', options);
  }

  /** One page of tools. */
  async listTools(
    page: { cursor?: string | undefined } = {},
    options?: CallOptions,
  ): Promise<ListToolsResult> {
    return this.#typed('tools/list', page, options);
  }

  /**
   * Calls a tool. With `output`, a schema, the structured content of the result is checked and typed.
   *
   * @example
   * const { structuredContent } = await client.callTool('weather', { city: 'Paris' }, { output: Weather });
   */
  callTool<N extends keyof Tools & string, S extends StandardSchemaV1>(
    name: N,
    args: Tools[N]['args'],
    options: CallOptions & { output: S },
  ): Promise<TypedToolResult<StandardSchemaV1.InferOutput<S>>>;
  callTool<N extends keyof Tools & string>(
    name: N,
    ...rest: undefined extends Tools[N]['args']
      ? [args?: Tools[N]['args'], options?: CallOptions]
      : [args: Tools[N]['args'], options?: CallOptions]
  ): Promise<unknown extends Tools[N]['output'] ? CallToolResult : TypedToolResult<Tools[N]['output']>>;
  async callTool(
    name: string,
    args: unknown = {},
    { output, ...options }: CallOptions & { output?: StandardSchemaV1 } = {},
  ): Promise<unknown> {
    needText(name, 'callTool', 'the name of a tool');
    if (output && typeof output['~standard']?.validate !== 'function')
      throw new UsageError('output must be a Standard Schema, such as z.object({ … })');
    if (options.onTask ?? options.task) (await import('./on-demand.js')).checkFollowsTasks(this);
    const params = { name, arguments: args };
    const result = await this.#typed<CallToolResult>('tools/call', params, options);
    if (!output || result.isError) return result;
    const { checkOutput } = await import('./on-demand.js');
    return checkOutput(name, result, output);
  }

  // Resources

  /** All resources, over all pages. */
  async resources(options: CallOptions = {}): Promise<Resource[]> {
    return this.#outbox.list('resources/list', 'resources', options);
  }

  /** One page of resources. */
  async listResources(
    page: { cursor?: string | undefined } = {},
    options?: CallOptions,
  ): Promise<ListResourcesResult> {
    return this.#typed('resources/list', page, options);
  }

  /** All resource templates, over all pages. */
  async resourceTemplates(options: CallOptions = {}): Promise<ResourceTemplate[]> {
    return this.#outbox.list('resources/templates/list', 'resourceTemplates', options);
  }

  /** One page of resource templates. */
  async listResourceTemplates(
    page: { cursor?: string | undefined } = {},
    options?: CallOptions,
  ): Promise<ListResourceTemplatesResult> {
    return this.#typed('resources/templates/list', page, options);
  }

  async readResource(uri: string | URL, options?: CallOptions): Promise<ReadResourceResult> {
    needText(uri instanceof URL ? uri.href : uri, 'readResource', 'the URI of a resource');
    return this.#typed('resources/read', { uri }, options);
  }

  // Prompts

  /** All prompts, over all pages. */
  async prompts(options: CallOptions = {}): Promise<Prompt[]> {
    return this.#outbox.list('prompts/list', 'prompts', options);
  }

  /** One page of prompts. */
  async listPrompts(
    page: { cursor?: string | undefined } = {},
    options?: CallOptions,
  ): Promise<ListPromptsResult> {
    return this.#typed('prompts/list', page, options);
  }

  async getPrompt(
    name: string,
    args?: Record<string, string>,
    options?: CallOptions,
  ): Promise<GetPromptResult> {
    needText(name, 'getPrompt', 'the name of a prompt');
    const params = { name, ...(args && { arguments: args }) };
    return this.#typed('prompts/get', params, options);
  }

  /** Values that complete an argument of a prompt, or a variable of a resource template. */
  async complete(
    ref: CompletionReference,
    argument: { name: string; value: string },
    options: CallOptions & { context?: Record<string, string> | undefined } = {},
  ): Promise<CompleteResult['completion']> {
    const { context, ...rest } = options;
    const params = { ref, argument, ...(context && { context: { arguments: context } }) };
    const result = await this.#typed<CompleteResult>('completion/complete', params, rest);
    return result.completion;
  }

  // The rest

  /**
   * Yields changes of the server for as long as the loop runs.
   *
   * @example
   * for await (const change of client.changes({ tools: true, resources: ['menu://today'] })) refresh(change);
   */
  changes(filter: ChangeFilter, options: ChangeOptions = {}): AsyncIterable<ServerChange> {
    const controller = new AbortController();
    return endAtOnce(this.#changes(filter, options, controller), controller);
  }

  /** Sets the lowest level of the log messages that the server sends from now on. */
  async setLogLevel(level: LogLevel, options: RequestOptions = {}): Promise<void> {
    checkLogLevel(level);
    await this.#keeper.use('logging/setLevel', options, (link, own) => link.setLogLevel(level, own));
  }

  /** Checks that the server responds. */
  async ping(options: RequestOptions = {}): Promise<void> {
    await this.#keeper.use('ping', options, (link, own) => link.ping(own));
  }

  /** Replaces the roots, and notifies the server if its revision allows that. */
  async setRoots(roots: NonNullable<AnswerOptions['roots']>): Promise<void> {
    if (!this.#answers.roots)
      throw new UsageError('roots must be given to connect first, so that servers know of them');
    const { checkRoots } = await import('./on-demand.js');
    checkRoots(roots);
    this.#answers = { ...this.#answers, roots };
    const link = await this.#keeper.open();
    await link.rootsChanged();
  }

  /** Sends any request. The handlers of the client answer the questions that the server asks meanwhile. */
  async request(method: string, params: object = {}, options: CallOptions = {}): Promise<JsonObject> {
    return this.#outbox.request(method, params as JsonObject, options);
  }

  /** Sends any notification. */
  async notify(method: string, params?: JsonObject): Promise<void> {
    await this.#outbox.notify(method, params);
  }

  /**
   * Sends a request, and stops if the server asks a question. The held request is JSON: answer it at any time, in any
   * process, with `resume`. Servers of older revisions ask while the request is running; there the handlers answer.
   */
  async begin(method: string, params: object = {}, options: CallOptions = {}): Promise<RoundOutcome> {
    return this.#outbox.begin(method, params as JsonObject, options);
  }

  /** Continues a held request, with the answers by the names of the questions. */
  async resume(
    held: HeldRequest,
    answers: Readonly<Record<string, InputResponse>>,
    options: CallOptions = {},
  ): Promise<RoundOutcome> {
    return this.#outbox.resume(held, answers, options);
  }

  /** Closes the connection. Running requests fail. */
  close(): Promise<void> {
    return this.#keeper.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** As `request`, for a method whose result has a type. */
  #typed<T>(method: string, params: object, options?: CallOptions): Promise<T> {
    return typedResult(method, this.request(method, params, options), this.#host.warn);
  }

  #createHost(): Omit<LinkHost, 'lost' | 'opening'> {
    const options = this.#options;
    const { info = { name: 'tenon', version: VERSION }, capabilities, logLevel, onLog } = options;
    const extensions = this.#extensions;
    const answers = answerCapabilities(options);
    const warn = (message: string) => this.#callbacks.warn(message);
    return {
      info,
      sendsInfo: options.sendInfo ?? true,
      capabilities: withDeclared(answers, withExtensions(capabilities, extensions?.declared)),
      claims: extensions?.claims,
      middleware: this.#middleware,
      resultTypes: new Set(options.resultTypes),
      isListening:
        Object.keys(answers).length > 0 ||
        Boolean(onLog ?? options.onNotification ?? extensions?.isListening),
      logLevel: logLevel ?? (onLog ? 'info' : undefined),
      answer: async (question, signal) => {
        this.#rate?.count(1);
        const { answerQuestion } = await import('./on-demand.js');
        return answerQuestion(this.#answers, question, { ...this.#context, signal }, this.#middleware);
      },
      answerOwn: (method, params, signal) =>
        extensions?.answer(method, params, { ...this.#context, signal }, this.#middleware),
      notified: (method, params) => {
        if (extensions?.notified(method, params, this.#keeper.link.server, this.#context, warn)) return;
        this.#callbacks.notified(method, params);
      },
      changed: change => this.#outbox.changed(change),
      warn,
    };
  }

  async *#changes(
    filter: ChangeFilter,
    options: ChangeOptions,
    controller: AbortController,
  ): AsyncGenerator<ServerChange, void, undefined> {
    const { listenToChanges } = await import('./on-demand.js');
    const host = {
      claims: this.#extensions?.claims,
      changed: (change: Change) => this.#outbox.changed(change),
      warn: this.#host.warn,
    };
    yield* listenToChanges(this.#keeper, filter, options, host, controller);
  }
}

function needText(value: unknown, method: string, what: string): void {
  if (typeof value !== 'string') throw new UsageError(`${method} needs ${what} first: client.${method}("…")`);
}

function withExtensions(
  capabilities: ClientCapabilities = {},
  declared: Record<string, JsonObject> | undefined,
): ClientCapabilities {
  return declared
    ? { ...capabilities, extensions: { ...capabilities.extensions, ...declared } }
    : capabilities;
}
