import { UsageError } from '../base/errors.js';
import { asJson, copyJson, isObject, type JsonObject, quoteBriefly } from '../base/json.js';
import { type Awaitable, andThen, settle } from '../base/settle.js';
import { type CacheHint, withCacheHint } from '../protocol/caching.js';
import type { Call, Result } from '../protocol/call.js';
import type { Implementation, ServerCapabilities } from '../protocol/capabilities.js';
import type { Audience, Change, MissedChanges } from '../protocol/changes.js';
import { ERROR, McpError } from '../protocol/errors.js';
import { isOfProtocol, methodNameProblem } from '../protocol/method-name.js';
import { uriProblem } from '../protocol/resource-uri.js';
import { RoundEnded } from '../protocol/round.js';
import {
  type ChangeWatcher,
  type LocalService,
  type NotificationSender,
  type RemoteService,
  SERVICE,
  type Servable,
} from '../protocol/service.js';
import { Context, useContext } from './context/context.js';
import { declaredBy, type Extension, installAll, type ToolClient, type WritableClaims } from './extension.js';
import { memoryPipe } from './memory-pipe.js';
import { type Middleware, MiddlewareStack } from './middleware.js';
import { deriveCapabilities } from './registry/capabilities.js';
import { Changes } from './registry/changes.js';
import { createDispatch } from './registry/dispatch.js';
import { describeThrown, type ErrorPolicy } from './registry/error-policy.js';
import { Permissions } from './registry/permissions.js';
import {
  compilePrompt,
  type PromptHandle,
  type PromptHandler,
  type PromptOptions,
} from './registry/prompts.js';
import { checkFunction, checkName, invalidReturn } from './registry/registration.js';
import { createRegistries, findResource, type Registries } from './registry/registries.js';
import {
  compileResource,
  type ResourceHandle,
  type ResourceHandler,
  type ResourceOptions,
} from './registry/resources.js';
import { readMeta } from './registry/returned.js';
import { findTargets, haveRules, isRestricted, lookups, scopesOf } from './registry/targets.js';
import {
  compileTool,
  type OutputHandler,
  SHOW_UI,
  type ToolEntry,
  type ToolHandle,
  type ToolHandler,
  type ToolOptions,
  toolNameProblem,
} from './registry/tools.js';
import { Reports } from './reports.js';
import type { Schema } from './schema/schema.js';
import { type Cached, checkServer, PAGE_SIZE, type ServerOptions } from './server-options.js';

/** Handles a method of your own. */
export type MethodHandler = (params: JsonObject, ctx: Context) => object | Promise<object>;

/** Handles a notification that a client sent. */
export type NotificationHandler = (params: JsonObject, from: NotificationSender) => void | Promise<void>;

const NOT_CACHED: CacheHint = { ttlMs: 0, cacheScope: 'private' };

/** The permissions of clients that need no token. */
const LOCAL = new Permissions({ isRemote: false });

/**
 * An MCP server: tools, resources and prompts, for clients of every revision. It holds no connection; one
 * instance serves all clients at once, over any number of transports.
 *
 * @example
 * const server = new Server({ name: 'bistro', version: '1.0.0' });
 * server.tool('greet', { input: z.object({ name: z.string() }) }, ({ name }) => `Hello ${name}`);
 * await listen(server, { port: 3000 });
 */
export class Server implements Servable {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  /** @internal */
  readonly [SERVICE]: LocalService;
  readonly #options: ServerOptions;
  readonly #reports: Reports;
  readonly #errors: ErrorPolicy;
  readonly #changes: Changes;
  readonly #registries: Registries;
  readonly #dispatch: (call: Call) => Awaitable<Result>;
  readonly #remoteDispatch: (call: Call) => Awaitable<Result>;
  readonly #permissions: Permissions;
  readonly #methods = new Map<string, (call: Call) => Awaitable<Result>>();
  readonly #notifications = new Map<string, NotificationHandler>();
  readonly #middleware: MiddlewareStack;
  /** Undefined without extensions. */
  readonly #claims: WritableClaims | undefined;
  #capabilities: ServerCapabilities = {};
  #isDerived = false;
  /** Undefined until it is needed. */
  #isRestricted: boolean | undefined;

  constructor(info: Implementation, options: ServerOptions = {}) {
    checkServer(info, options);
    this.info = info;
    this.instructions = options.instructions;
    const own = { ...options };
    this.#options = own;
    this.#reports = new Reports(info.name, own);
    this.#changes = new Changes(this.#reports.error);
    this.#middleware = new MiddlewareStack(this.#reports.error);
    if (options.extensions)
      this.#claims = { messages: new Map(), resultTypes: new Map(), notices: new Map() };
    this.#errors = {
      get expose() {
        return own.exposeErrors ?? false;
      },
      report: this.#reports.error,
    };
    this.#registries = createRegistries({
      pageSize: own.pageSize ?? PAGE_SIZE,
      cacheHint: list => this.#cacheHint(list),
      changed: kind => {
        this.#isDerived = false;
        this.#isRestricted = undefined;
        this.#changes.announce({ kind });
      },
    });
    const trusted = new Permissions({ isRemote: false });
    this.#permissions = new Permissions({ isRemote: true });
    const dispatchFor = (permissions: Permissions) =>
      createDispatch(this.#registries, this.#methods, permissions, this.#errors.report);
    this.#dispatch = dispatchFor(trusted);
    this.#remoteDispatch = dispatchFor(this.#permissions);
    this[SERVICE] = this.#createService();
    if (options.extensions && this.#claims) this.#install(options.extensions, this.#claims);
  }

  /**
   * Registers a tool.
   * @see https://modelcontextprotocol.io/specification/2026-07-28/server/tools
   */
  tool<const N extends string, const I extends Schema | undefined = undefined>(
    name: N,
    options: ToolOptions<I, undefined>,
    handler: ToolHandler<I, undefined>,
  ): ToolHandle<N, I, undefined>;
  tool<const N extends string, const O extends Schema, const I extends Schema | undefined = undefined>(
    name: N,
    options: ToolOptions<I, O> & { output: O },
    handler: OutputHandler<I, O>,
  ): ToolHandle<N, I, O>;
  // With a single signature whose result depends on O, `type: 'image'` in a handler's result would widen to string.
  tool(
    name: string,
    options: ToolOptions<Schema | undefined, Schema | undefined>,
    handler: ToolHandler<never, never>,
  ): ToolHandle {
    checkName(name, 'tool');
    const { tools } = this.#registries;
    const compile = (given: typeof options, newHandler: typeof handler) => {
      const newOptions = given?.ui?.[SHOW_UI]?.(this, name, given, this.#options) ?? given;
      if (newOptions?.task !== undefined) this.#checkTask(newOptions.task, name);
      // The validator of JSON Schemas is loaded on demand, so it can refuse a schema only after the registration.
      const refuse = (error: unknown, where: string) => {
        this.#reports.error(error, where);
        if (entry && tools.get(name) === entry) handle.remove();
      };
      // Undefined if the tool could not be compiled, for another reason.
      let entry: ToolEntry | undefined;
      entry = compileTool(name, newOptions, newHandler, this.#errors, refuse);
      return entry;
    };
    const handle = tools.add(name, compile(options, handler));
    const discouraged = toolNameProblem(name);
    if (discouraged) this.#reports.warning(discouraged, `tool "${name}"`);
    return extend(handle, {
      replace: (newOptions: typeof options, newHandler: typeof handler) =>
        tools.replace(handle, compile(newOptions, newHandler)),
    }) as unknown as ToolHandle;
  }

  /**
   * Registers a resource, or a family of resources with a template such as `menu://{day}`.
   * @see https://modelcontextprotocol.io/specification/2026-07-28/server/resources
   */
  resource<const U extends string>(
    uri: U,
    options: ResourceOptions<U>,
    handler: ResourceHandler<U>,
  ): ResourceHandle<U> {
    const compile = (newOptions: ResourceOptions<U>, newHandler: ResourceHandler<U>) =>
      compileResource(
        uri,
        newOptions as ResourceOptions,
        newHandler,
        this.#cacheHint('read'),
        this.#errors.report,
      );
    const entry = compile(options, handler);
    const registry = entry.template ? this.#registries.templates : this.#registries.resources;
    const handle = registry.add(uri, entry);
    return extend(handle, {
      replace: (newOptions: ResourceOptions<U>, newHandler: ResourceHandler<U>) =>
        registry.replace(handle, compile(newOptions, newHandler)),
      listChanged: () => this.#changes.announce({ kind: 'resources' }),
      changed: (changed: string = uri) => this.resourceChanged(changed),
    });
  }

  /**
   * Registers a prompt.
   * @see https://modelcontextprotocol.io/specification/2026-07-28/server/prompts
   */
  prompt<const I extends Schema | undefined = undefined>(
    name: string,
    options: PromptOptions<I>,
    handler: PromptHandler<I>,
  ): PromptHandle {
    checkName(name, 'prompt');
    const { prompts } = this.#registries;
    const compile = (newOptions: object, newHandler: unknown) =>
      compilePrompt(name, newOptions, newHandler as PromptHandler<never>, this.#errors);
    const handle = prompts.add(name, compile(options, handler));
    return extend(handle, {
      replace: (newOptions: object, newHandler: unknown) =>
        prompts.replace(handle, compile(newOptions, newHandler)),
    }) as PromptHandle;
  }

  /** Registers a method of your own, for clients that know it. Its name should have a prefix: `acme/search`. */
  method(name: string, handler: MethodHandler): void {
    if (typeof name !== 'string' || name === '') throw new UsageError('a method needs a name: "acme/search"');
    const problem = methodNameProblem(name);
    if (problem) throw new UsageError(problem);
    if (isOfProtocol(name) || name.startsWith('notifications/')) {
      throw new UsageError(
        `the method "${name}" belongs to the protocol; give yours a prefix: "acme/search"`,
      );
    }
    checkFunction(handler, `the handler of the method "${name}"`);
    this.#checkUnclaimed(name);
    const handling = { who: `method "${name}"`, report: this.#errors.report };
    this.#methods.set(name, async call => {
      const result = await useContext(new Context(call), handling, context => handler(call.params, context));
      if (!isObject(result)) throw invalidReturn(handling.who, 'an object', 'an object, such as {}');
      const { _meta } = result;
      return _meta === undefined ? result : { ...result, _meta: readMeta(asJson(_meta), handling.who) };
    });
  }

  /** Handles a notification from clients, such as `notifications/roots/list_changed`. */
  notification(method: string, handler: NotificationHandler): void {
    checkFunction(handler, `the handler of the notification "${method}"`);
    this.#checkUnclaimed(method);
    this.#notifications.set(method, handler);
  }

  /**
   * Runs middleware around every message: a function around requests, or an object with functions for several kinds. The
   * first one registered is the outermost; that of extensions comes before all others.
   */
  use(middleware: Middleware): void {
    this.#middleware.add(middleware);
  }

  /** The names of all middleware, outermost first. */
  get middleware(): readonly string[] {
    return [...this.#middleware.names];
  }

  /**
   * Tells the clients that subscribed to a resource that its contents changed. Those that subscribed to a resource that
   * contains it, such as `menu://today` for `menu://today/soup`, hear of it too, unless access to it is restricted.
   */
  resourceChanged(uri: string): void {
    const problem = typeof uri === 'string' ? uriProblem(uri) : quoteBriefly(uri);
    if (problem) throw new UsageError(`resourceChanged needs the URI of a resource, but got ${problem}`);
    const isRestricted = findResource(this.#registries, uri)?.entry.access !== undefined;
    this.#changes.announce({ kind: 'resource', uri, isRestricted });
  }

  /**
   * Tells clients that a list has changed for them, because `authorize` now decides otherwise: the clients of a
   * principal, those of a session, or all. Changes of the registrations themselves are announced without it.
   *
   * @example
   * server.tool('refund', { authorize: ({ caller }) => isManager(caller), hidden: 'unless-allowed' }, refund);
   * promote(user);
   * server.listChanged('tools', { principal: user.id });
   */
  listChanged(list: 'tools' | 'prompts' | 'resources', audience?: Audience): void {
    this.#changes.announce({ kind: list, audience });
  }

  /**
   * Sends a notice of an extension to the clients that listen to it, or to those of a principal or a session only. On the
   * handshake revisions, which have no filters, every client that declared the extension gets it, unless the notice has
   * `accept`.
   *
   * @example
   * server.announce('notifications/com.example/changed', { genre: 'fiction' });
   */
  announce(method: string, params: JsonObject = {}, audience?: Audience): void {
    if (!this.#claims?.messages.has(method))
      throw new UsageError(`no extension of this server has the notice ${quoteBriefly(method)}`);
    const claims = [...this.#claims.notices.values()].filter(notice => notice.method === method);
    const isRestricted = claims.some(notice => notice.isRestricted);
    // What the author changes later is not sent.
    this.#changes.announce({ kind: 'notice', method, params: copyJson(params), audience, isRestricted });
  }

  /**
   * Tells the client that the user has finished on the page it was sent to. Call it with the `elicitationId` of
   * `ctx.elicitUrl`, from the code that the page reports to. Clients whose revision has no such notification find out
   * when they call again.
   */
  elicitationCompleted(elicitationId: string): void {
    this.#changes.announce({ kind: 'elicitation', id: elicitationId });
  }

  capabilities(): ServerCapabilities {
    if (this.#isDerived) return this.#capabilities;
    // Declared capabilities stay: clients still ask for the list of tools after the last tool was removed.
    const { capabilities, extensions } = this.#options;
    const derived = deriveCapabilities(this.#registries, capabilities, declaredBy(extensions));
    this.#capabilities = { ...this.#capabilities, ...derived };
    this.#isDerived = true;
    return this.#capabilities;
  }

  #createService(): LocalService {
    const members = {
      info: this.info,
      instructions: this.instructions,
      sendsInfo: this.#options.sendInfo ?? true,
      discovery: this.#cacheHint('discovery'),
      roundLifetimeMs: this.#options.roundLifetimeMs,
      noticeRates: {
        progress: this.#options.maxProgressPerSecond,
        logs: this.#options.maxLogsPerSecond,
      },
      claims: this.#claims,
      questionLayers: this.#middleware.question,
      outgoing: (method: string, params: JsonObject, to: NotificationSender) =>
        this.#middleware.passNotification('send', { ...to, method, params }),
      capabilities: () => this.capabilities(),
      notified: this.#notified.bind(this),
      watch: (listener: ChangeWatcher) => this.#changes.watch(listener),
      hear: (change: Change | MissedChanges) => this.#changes.announce(change, true),
      flushChanges: () => this.#changes.flush(),
      report: this.#reports.error,
      warn: this.#reports.warning,
    };
    const server = this;
    const remote: RemoteService = {
      ...members,
      ...lookups(this.#registries, this.#permissions),
      handle: (call, own) => this.#handle(call, own ?? this.#remoteDispatch),
      get isRestricted() {
        server.#isRestricted ??= isRestricted(server.#registries);
        return server.#isRestricted;
      },
      needsOf: (method, params) => {
        const targets = findTargets(this.#registries, method, params);
        const scopes = scopesOf(targets);
        if (!haveRules(targets)) return { scopes };
        return { scopes, permits: caller => this.#permissions.admit(targets, params, caller) };
      },
    };
    return {
      ...members,
      ...lookups(this.#registries, LOCAL),
      handle: (call, own) => this.#handle(call, own ?? this.#dispatch),
      openPipe: () => memoryPipe(this[SERVICE]),
      remote: () => remote,
      reporting: this.#options,
    };
  }

  #notified(method: string, params: JsonObject, from: NotificationSender): Promise<void> | undefined {
    const handler = this.#notifications.get(method);
    const middleware = this.#middleware;
    if (!handler && middleware.receive.length === 0) return undefined;
    // In this turn, so that a request behind it on a pipe finds what its handler did.
    const handling = settle<unknown, void>(
      () => {
        const passed = middleware.passNotification('receive', { ...from, method, params });
        return passed && handler?.(passed, from);
      },
      () => {},
      error => this.#reports.error(error, method),
    );
    return handling instanceof Promise ? handling : undefined;
  }

  #checkUnclaimed(name: string): void {
    const owner = this.#claims?.messages.get(name);
    if (owner) throw new UsageError(`"${name}" belongs to the extension "${owner.id}" of this server`);
  }

  /** Checks the option `task` of a tool. The extension for tasks brings its own check. */
  #checkTask = (mode: unknown, tool: string): void => {
    if (mode !== 'never')
      throw new UsageError(`task of tool "${tool}" needs extensions: [tasks()] of tenon/tasks`);
  };

  #install(extensions: readonly Extension[], claims: WritableClaims): void {
    const host = {
      claims,
      methods: this.#methods,
      notifications: this.#notifications,
      use: (middleware: Middleware) => this.use(middleware),
      server: this,
      tools: this.#registries.tools,
      mayUseTool: (name: string, params: () => JsonObject, { caller, session }: ToolClient) => {
        const access = this.#registries.tools.get(name)?.access;
        return !access || LOCAL.isAllowed(access, name, params(), caller, session);
      },
      checkTasks: (check: (mode: unknown, tool: string) => void) => {
        this.#checkTask = check;
      },
      report: this.#errors.report,
    };
    installAll(extensions, host);
  }

  #handle(call: Call, handle: (call: Call) => Awaitable<Result>): Awaitable<Result> {
    if (!this.#errors.expose) return this.#run(call, handle);
    return settle(
      () => this.#run(call, handle),
      result => result,
      exposeError,
    );
  }

  #run(call: Call, handle: (call: Call) => Awaitable<Result>): Awaitable<Result> {
    const stack = this.#middleware;
    if (stack.names.length === 0) return handle(call);
    const outputSchemaOf = (tool: unknown) =>
      this.#registries.tools.get(tool as string)?.listing.outputSchema;
    return andThen(call.asking.get(), ({ runMiddleware }) =>
      runMiddleware(stack, call, handle, outputSchemaOf),
    );
  }

  #cacheHint(cached: Cached): CacheHint {
    const { cacheHints } = this.#options;
    // An invalid cache hint throws when the server is created, not when the hint is sent.
    return withCacheHint({}, cacheHints?.[cached] ?? cacheHints?.default ?? NOT_CACHED);
  }
}

/** Throws an unexpected error again, with its message for the client. */
function exposeError(thrown: unknown): never {
  if (thrown instanceof McpError || thrown instanceof RoundEnded) throw thrown;
  throw new McpError(ERROR.internal, describeThrown(thrown), undefined, { cause: thrown });
}

/** Adds members to a handle. The handle itself is changed, so its getters keep working. */
function extend<H extends object, M extends object>(handle: H, members: M): H & M {
  return Object.assign(handle, members);
}
