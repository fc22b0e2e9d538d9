import { UsageError } from '../base/errors.js';
import type { JsonObject } from '../base/json.js';
import type { Awaitable } from '../base/settle.js';
import type { Call, Result, Session } from '../protocol/call.js';
import type { Caller } from '../protocol/caller.js';
import type { Claim, Claims, NoticeClaim } from '../protocol/extensions.js';
import type { NotificationSender } from '../protocol/service.js';
import type { TaskMode } from '../protocol/task.js';
import type { Middleware } from './middleware.js';

/** The key under which an extension exposes its parts to the server that it is given to. */
export const INSTALL: unique symbol = Symbol.for('tenon.extension');

/**
 * An extension of the protocol, for a server: made by `extension` of `tenon/extensions`, or by a function that uses it,
 * and given to `new Server(info, { extensions: [search] })`. The value brings its code with it.
 *
 * @example
 * const server = new Server({ name: 'library', version: '1.0.0' }, { extensions: [catalogSearch(catalog)] });
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#extension-negotiation
 */
export interface Extension {
  readonly id: string;
  /** The settings that clients are told. */
  readonly settings: JsonObject;
  /** @internal */
  readonly [INSTALL]: (host: ExtensionHost) => void;
}

/** Installs the extensions of a server. */
export function installAll(extensions: readonly Extension[], host: Omit<ExtensionHost, 'ids'>): void {
  if (!Array.isArray(extensions)) throw new UsageError('the extensions of a server must be a list');
  const ids = extensions.map(extension => extension?.id);
  for (const extension of extensions) {
    if (!extension?.[INSTALL])
      throw new UsageError('extensions must be values of `extension({ … })` of tenon/extensions');
    extension[INSTALL]({ ...host, ids });
  }
}

/** The settings that a server declares for its extensions; undefined without extensions. */
export function declaredBy(extensions: readonly Extension[] = []): Record<string, JsonObject> | undefined {
  if (extensions.length === 0) return undefined;
  return Object.fromEntries(extensions.map(({ id, settings }) => [id, settings]));
}

/** A server as its extensions see it while they are installed. */
export interface ExtensionHost {
  /** The ids of all extensions of the server. */
  readonly ids: readonly string[];
  /** What is claimed so far. */
  readonly claims: WritableClaims;
  readonly methods: Map<string, (call: Call) => Awaitable<Result>>;
  readonly notifications: Map<string, (params: JsonObject, from: NotificationSender) => Awaitable<void>>;
  use(middleware: Middleware): void;
  /** The server itself, for extensions that register tools and the like. */
  readonly server: object;
  /** The registered tools, for extensions that read their options. */
  readonly tools: { get(name: string): { readonly task: TaskMode | undefined } | undefined };
  /** Whether a client may use a tool with these parameters at this moment. Only callers with a token need scopes. */
  mayUseTool(name: string, params: () => JsonObject, client: ToolClient): Awaitable<boolean>;
  /** Checks the option `task` of tools when they are registered. */
  checkTasks(check: (mode: unknown, tool: string) => void): void;
  report(error: unknown, where: string): void;
}

/** The client that wants to use a tool. */
export interface ToolClient {
  readonly caller: Caller | undefined;
  readonly session: Session | undefined;
}

/** Claims that can be added to. */
export interface WritableClaims extends Claims {
  readonly messages: Map<string, Claim>;
  readonly resultTypes: Map<string, Claim>;
  readonly notices: Map<string, NoticeClaim>;
}
