import { UsageError } from '../base/errors.js';
import { type JsonObject, writeJson } from '../base/json.js';
import { checkOptions, checkSpelling, type OptionNames } from '../base/options.js';
import type { CacheHint } from '../protocol/caching.js';
import type { Implementation, ServerCapabilities } from '../protocol/capabilities.js';
import { checkExtensions, checkSettings } from '../protocol/extensions.js';
import type { Reporting } from '../protocol/service.js';
import type { Extension } from './extension.js';
import { checkIcons, checkTypesOf } from './registry/registration.js';

/** Options of a `Server`. */
export interface ServerOptions extends Reporting {
  /** How a model should use this server; clients may put it into the system prompt. */
  instructions?: string | undefined;
  /**
   * Capabilities beside those derived from the registry: extensions, or kinds that are registered only later. One that
   * is undefined is withdrawn: `{ logging: undefined }`.
   */
  capabilities?: ServerCapabilities | undefined;
  /**
   * Extensions of the protocol, such as those made by `extension` of `tenon/extensions`. Each brings its code with it, and
   * its middleware runs outside of the middleware of `server.use`.
   */
  extensions?: readonly Extension[] | undefined;
  /** How many entries a page of a list has. */
  pageSize?: number | undefined;
  /** How long clients may cache results: `default` for all, or separately for lists, read resources and discovery. */
  cacheHints?: Partial<Record<Cached, CacheHint>> | undefined;
  /**
   * How long a client may take to answer a question on the revisions where the answer comes with another request: 10
   * minutes by default. Make it longer for sign-in pages and approvals by other people.
   */
  roundLifetimeMs?: number | undefined;
  /** How many progress notifications of a request are sent per second: 100 by default. Newer ones replace the others. */
  maxProgressPerSecond?: number | undefined;
  /** How many log messages of a request are sent per second: 500 by default. The others are counted. */
  maxLogsPerSecond?: number | undefined;
  /**
   * Whether results of 2026-07-28 carry the name and version of the server: on by default. The handshake revisions need
   * them in `initialize`.
   */
  sendInfo?: boolean | undefined;
}

/** What a server has cache hints for. */
export type Cached = 'default' | 'discovery' | 'tools' | 'prompts' | 'resources' | 'templates' | 'read';

const SERVER_OPTIONS: OptionNames<ServerOptions> = {
  instructions: 1,
  capabilities: 1,
  extensions: 1,
  pageSize: 1,
  cacheHints: 1,
  roundLifetimeMs: 1,
  maxProgressPerSecond: 1,
  maxLogsPerSecond: 1,
  exposeErrors: 1,
  sendInfo: 1,
  onError: 'a function',
  onWarning: 'a function',
};

const TEXTS = ['title', 'description', 'websiteUrl', 'instructions'];
const SWITCHES = ['listChanged', 'subscribe'];

/** How many entries a page of a list has, unless `pageSize` is set. */
export const PAGE_SIZE = 1000;

const INFO = [
  'name',
  'title',
  'version',
  'description',
  'icons',
  'websiteUrl',
] satisfies (keyof Implementation)[];

/** Throws if a server cannot be created from these. */
export function checkServer(info: Implementation, options: ServerOptions): void {
  if (typeof info?.name !== 'string' || typeof info.version !== 'string') {
    throw new UsageError(
      'a server needs a name and a version: new Server({ name: "bistro", version: "1.0.0" })',
    );
  }
  checkOptions(options, SERVER_OPTIONS, 'a server');
  const misplaced = Object.keys(info).find(name => Object.hasOwn(SERVER_OPTIONS, name));
  if (misplaced) {
    throw new UsageError(
      `"${misplaced}" goes into the second argument: new Server({ name, version }, { ${misplaced} })`,
    );
  }
  checkSpelling(info, INFO, 'a server');
  const { pageSize = PAGE_SIZE } = options;
  if (!Number.isInteger(pageSize) || pageSize < 1) {
    throw new UsageError(`pageSize must be a whole number, 1 or more, but is ${pageSize}`);
  }
  for (const name of ['roundLifetimeMs', 'maxProgressPerSecond', 'maxLogsPerSecond'] as const) {
    const { [name]: value = 1 } = options;
    if (!(Number.isFinite(value) && value > 0)) {
      throw new UsageError(`${name} must be a positive number, but is ${value}`);
    }
  }
  checkTypesOf({ ...info, ...options }, TEXTS, 'string', 'a server');
  const { capabilities } = options;
  for (const name in capabilities)
    checkTypesOf((capabilities as JsonObject)[name], SWITCHES, 'boolean', `the capability "${name}"`);
  checkExtensions(capabilities?.extensions);
  checkSettings(capabilities?.experimental ?? {}, 'experimental capability');
  writeJson([info, capabilities], 'a server');
  checkIcons(info.icons, 'a server');
}
