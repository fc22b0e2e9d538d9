import { onAbort } from '../../base/abort.js';
import { Cancelled, TenonError, UsageError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json.js';
import { messageOf } from '../../base/thrown.js';
import type { Malformed, Message, Request, RequestId } from '../../jsonrpc/message.js';
import { ERROR, invalidRequest, McpError } from '../../protocol/errors.js';
import { VERSION } from '../version.js';
import { Answering } from './answer.js';
import { Channel, TOO_MANY_MESSAGES } from './channel.js';
import type { AppClient } from './client.js';
import { MAX_HEIGHT, MAX_REQUESTS, SANDBOX_TIMEOUT_MS, TEARDOWN_TIMEOUT_MS } from './limits.js';
import type { ShowAppOptions } from './options.js';
import { type AppPage, loadApp } from './page.js';
import { allowAttribute } from './policy.js';
import { PROTOCOL_VERSION } from './protocol-version.js';
import { AppRefused } from './refused.js';
import { appUriOf } from './tool.js';
import { hostWindow } from './window.js';

const TEARDOWN_ID = 'teardown';

/**
 * Shows the app of a tool in a frame: reads its page, has the sandbox run it under the declared policy, and gives it the
 * arguments and the result of the call. Whatever the app wants besides goes through `approve`. Throws `AppRefused`.
 *
 * @example
 * const result = client.callTool('weather', { city: 'Paris' });
 * const app = await showApp(client, {
 *   tool,
 *   args: { city: 'Paris' },
 *   result,
 *   frame: document.querySelector('iframe')!,
 *   sandbox: 'https://apps.host.example/',
 *   approve: request => isWanted(request),
 * });
 * await app.close();
 *
 * @see https://github.com/modelcontextprotocol/ext-apps/blob/main/specification/2026-01-26/apps.mdx
 */
export async function showApp(client: AppClient, options: ShowAppOptions): Promise<ShownApp> {
  const { tool, approve, signal = new AbortController().signal } = options;
  const sandbox = new URL(options.sandbox);
  if (!hostWindow.location) throw new UsageError('apps are shown in a browser, and this is none');
  if (sandbox.origin === hostWindow.location.origin)
    throw new UsageError(
      'the sandbox must be on another origin than the host, so that apps cannot reach the host',
    );
  const uri = appUriOf(tool);
  if (uri === undefined) throw new AppRefused(`the tool "${tool.name}" has no app`);
  const page = await loadApp(client, uri, { signal, onWarning: options.onWarning });
  if ((await approve({ kind: 'start', page }, { signal })) !== true)
    throw new AppRefused(`the user did not want the app ${uri}`);
  signal.throwIfAborted();
  const app = new ShownApp(client, page, sandbox, options);
  await app.opened;
  return app;
}

/**
 * An app in its frame. Returned by `showApp`.
 *
 * @example
 * const app = await showApp(client, appOptions);
 * app.setContext({ theme: 'dark' });
 * await app.close();
 */
export class ShownApp {
  /** The page that is shown. */
  readonly page: AppPage;
  /** Resolves when the sandbox has the page. */
  readonly opened: Promise<void>;
  readonly #options: ShowAppOptions;
  readonly #channel: Channel;
  readonly #answering: Answering;
  /** The requests of the app that wait for an answer. */
  readonly #running = new Map<RequestId, AbortController>();
  readonly #ready = new Moment();
  readonly #finished = new Moment();
  #context: JsonObject;
  #state: 'loading' | 'initializing' | 'running' | 'ended' = 'loading';

  /** Use `showApp`. */
  constructor(client: AppClient, page: AppPage, sandbox: URL, options: ShowAppOptions) {
    const { frame } = options;
    this.page = page;
    this.#options = options;
    this.#answering = new Answering(client, options);
    this.#context = {
      toolInfo: { tool: options.tool },
      displayMode: 'inline',
      availableDisplayModes: ['inline'],
      containerDimensions: { maxHeight: MAX_HEIGHT },
      platform: 'web',
      ...options.context,
    };
    this.#channel = new Channel(
      frame,
      sandbox.origin,
      message => this.#take(message),
      reason => this.#end(reason),
    );
    this.opened = this.#open(sandbox);
  }

  /** Changes what the app knows of the host, such as its theme. */
  setContext(changes: JsonObject): void {
    this.#context = { ...this.#context, ...changes };
    if (this.#state === 'running') this.#channel.notify('ui/notifications/host-context-changed', changes);
  }

  /** Tells the app that the tools of its server changed. Call it when the client says so. */
  toolsChanged(): void {
    this.#answering.forgetTools();
    if (this.#state === 'running') this.#channel.notify('notifications/tools/list_changed');
  }

  /** Lets the app finish, and empties the frame. What the app still waits for is given up. */
  async close(reason = 'the host closes the app'): Promise<void> {
    if (this.#state === 'running') {
      this.#channel.request(TEARDOWN_ID, 'ui/resource-teardown', { reason });
      const timer = setTimeout(() => this.#finished.come(), TEARDOWN_TIMEOUT_MS);
      await this.#finished.awaited;
      clearTimeout(timer);
    }
    this.#stop(reason);
  }

  /** Loads the sandbox, whose address carries the policy, so that the server can send it as a header. */
  async #open(sandbox: URL): Promise<void> {
    const { frame, signal } = this.#options;
    const address = new URL(sandbox);
    address.searchParams.set('host', hostWindow.location?.origin ?? '');
    address.searchParams.set('csp', JSON.stringify(this.page.csp));
    frame.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-forms');
    frame.allow = allowAttribute(this.page.permissions);
    frame.src = address.href;
    const expire = () =>
      this.#ready.fail(
        new AppRefused(`the sandbox at ${sandbox.origin} does not answer, so no app can be shown`),
      );
    const timer = setTimeout(expire, SANDBOX_TIMEOUT_MS);
    const ignoreSignal = signal && onAbort(signal, () => this.#ready.fail(signal.reason));
    try {
      await this.#ready.awaited;
    } catch (error) {
      this.#stop(messageOf(error));
      throw error;
    } finally {
      clearTimeout(timer);
      ignoreSignal?.();
    }
  }

  #take(message: Message | Malformed): void {
    if (message.kind === 'notification') this.#notified(message.method, message.params);
    else if (message.kind === 'request') void this.#answer(message);
    else if (message.kind === 'response' && message.id === TEARDOWN_ID) this.#finished.come();
  }

  #notified(method: string, params: JsonObject): void {
    const { onLog } = this.#options;
    switch (method) {
      case 'ui/notifications/sandbox-proxy-ready':
        return this.#load();
      case 'ui/notifications/sandbox-ended':
        return this.#end(params.reason === 'flood' ? TOO_MANY_MESSAGES : 'the app left its page');
      case 'ui/notifications/initialized':
        return void this.#start();
      case 'ui/notifications/size-changed':
        return this.#resize(params);
      case 'ui/notifications/request-teardown':
        return void this.close('the app asked for it').then(() =>
          this.#options.onEnd?.('the app asked to be closed'),
        );
      case 'notifications/cancelled':
        this.#running
          .get(params.requestId as RequestId)
          ?.abort(new Cancelled('the app cancelled the request'));
        return;
      case 'notifications/message':
        onLog?.({ level: params.level, logger: params.logger, data: params.data });
    }
  }

  /** Gives the page to the sandbox. If the sandbox is loaded again, the app begins again. */
  #load(): void {
    const { html, csp, permissions } = this.page;
    this.#state = 'loading';
    this.#channel.notify('ui/notifications/sandbox-resource-ready', { html, csp, permissions });
    this.#ready.come();
  }

  async #answer({ id, method, params }: Request): Promise<void> {
    if (method === 'ui/initialize') return this.#initialize(id);
    if (this.#running.size >= MAX_REQUESTS || this.#running.has(id))
      return this.#channel.refuse(id, {
        code: ERROR.busy,
        message: `${MAX_REQUESTS} requests of the app wait for an answer already`,
        data: { retryAfterMs: 1000 },
      });
    const controller = new AbortController();
    this.#running.set(id, controller);
    try {
      if (this.#state === 'loading' && method !== 'ping') throw invalidRequest('send ui/initialize first');
      const result = await this.#answering.answer(method, params, controller.signal);
      this.#channel.respond(id, result);
    } catch (error) {
      // A request that the app cancelled gets no answer.
      if (!controller.signal.aborted) this.#refuse(id, method, error);
    } finally {
      this.#running.delete(id);
    }
  }

  #refuse(id: RequestId, method: string, error: unknown): void {
    if (!(error instanceof TenonError))
      this.#options.onWarning?.(`${method} of the app failed: ${messageOf(error)}`);
    this.#channel.refuse(id, problemOf(error));
  }

  #initialize(id: RequestId): void {
    const { info: hostInfo = { name: 'tenon', version: VERSION } } = this.#options;
    const { csp, permissions } = this.page;
    const hostCapabilities = { ...this.#answering.capabilities, sandbox: { csp, permissions } };
    this.#state = 'initializing';
    this.#channel.respond(id, {
      protocolVersion: PROTOCOL_VERSION,
      hostInfo,
      hostCapabilities,
      hostContext: this.#context,
    });
  }

  /** Delivers the call to an app that has begun, once for each beginning. */
  async #start(): Promise<void> {
    if (this.#state !== 'initializing') return;
    this.#state = 'running';
    const { args, result } = this.#options;
    this.#channel.notify('ui/notifications/tool-input', { arguments: args });
    try {
      const { ...finished } = await result;
      if (this.#state === 'running') this.#channel.notify('ui/notifications/tool-result', finished);
    } catch (error) {
      if (this.#state === 'running')
        this.#channel.notify('ui/notifications/tool-cancelled', { reason: messageOf(error) });
    }
  }

  #resize({ width, height }: JsonObject): void {
    const { frame, onResize } = this.#options;
    const size = { ...(isLength(width) && { width }), ...(isLength(height) && { height }) };
    if (onResize) onResize(size);
    else if (size.height !== undefined)
      frame.style.height = `${Math.min(Math.ceil(size.height), MAX_HEIGHT)}px`;
  }

  /** Ends an app that broke the rules. It gets no time to finish. */
  #end(reason: string): void {
    if (this.#state === 'ended') return;
    this.#stop(reason);
    this.#options.onEnd?.(reason);
  }

  #stop(reason: string): void {
    this.#state = 'ended';
    this.#channel.close();
    this.#options.frame.src = 'about:blank';
    for (const controller of this.#running.values()) controller.abort(new Cancelled(reason));
  }
}

/** Something that comes once, or fails. */
class Moment {
  come: () => void = () => {};
  fail: (error: unknown) => void = () => {};
  readonly awaited = new Promise<void>((resolve, reject) => {
    this.come = resolve;
    this.fail = reject;
  });
}

function isLength(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && Number.isFinite(value);
}

/** Errors of the server and of this SDK are passed on. The text of any other may be none of the app's business. */
function problemOf(error: unknown): { code: number; message: string; data?: unknown } {
  if (error instanceof McpError) return error;
  return { code: ERROR.internal, message: error instanceof TenonError ? error.message : 'internal error' };
}
