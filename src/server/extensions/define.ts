import { UsageError } from '../../base/errors.js';
import { isJson, isObject, type JsonObject, quoteBriefly } from '../../base/json.js';
import { checkOptions, type OptionNames } from '../../base/options.js';
import {
  checkDeclaration,
  FUNCTION,
  isFunction,
  type MemberShape,
  MIDDLEWARE,
  madeBy,
  objectOf,
  TEXTS,
} from '../../protocol/declaration.js';
import { type Claim, CORE_FILTERS, checkExtensionId } from '../../protocol/extensions.js';
import { isCoreMethod } from '../../revisions/agreement.js';
import { type Extension, type ExtensionHost, INSTALL } from '../extension.js';
import type { Middleware } from '../middleware.js';
import type { Server } from '../server.js';
import { decide } from './decide.js';
import {
  compileMethod,
  compileNotification,
  type ExtensionMethod,
  type ExtensionNotification,
} from './messages.js';
import { compileNotice, type ExtensionNotice } from './notices.js';

/** What an extension brings to a server. */
export interface ExtensionDefinition {
  /** Its id, with a prefix: `com.example/search`. A breaking change needs another id. */
  id: string;
  /** Told to clients; an empty object by default. */
  settings?: JsonObject | undefined;
  /** The ids of other extensions that the server must have as well. */
  requires?: readonly string[] | undefined;
  /** The requests of clients that it answers. */
  methods?: Readonly<Record<string, ExtensionMethod>> | undefined;
  /** The notifications of clients that it takes. */
  notifications?: Readonly<Record<string, ExtensionNotification>> | undefined;
  /** The notifications that it sends while a request is running, with `ctx.notify`. */
  sends?: readonly string[] | undefined;
  /** The requests that it sends to clients whose revision lets servers ask, with `session.request`. */
  asks?: readonly string[] | undefined;
  /** The types of results that it brings, such as `task`. */
  resultTypes?: readonly string[] | undefined;
  /** What clients can listen to, by the member of the filter. */
  notices?: Readonly<Record<string, ExtensionNotice>> | undefined;
  /** Runs around every request of the server, also those that do not belong to the extension. */
  middleware?: readonly Middleware[] | undefined;
  /**
   * Whether a client must have declared the extension before it may use its messages: true by default. A client that did
   * not is refused with `-32021`. A function decides it for each part (a method, a notification, a type of results or a
   * member of the filter) and revision, and returns undefined if the revision does not have the part. While it throws,
   * the part is refused, and the error is reported.
   */
  needsClient?: boolean | ((part: string, revision: string) => boolean | undefined) | undefined;
  /** Called once for each server that gets the extension: registers tools, resources and the like. */
  install?: ((server: Server) => void) | undefined;
}

const DEFINITION: OptionNames<ExtensionDefinition> = {
  id: 1,
  settings: 1,
  requires: 1,
  methods: 1,
  notifications: 1,
  sends: 1,
  asks: 1,
  resultTypes: 1,
  notices: 1,
  middleware: 1,
  needsClient: 1,
  install: 1,
};

const SHAPES: Readonly<Partial<Record<keyof ExtensionDefinition, MemberShape>>> = {
  requires: TEXTS,
  methods: objectOf(madeBy('method', ({ handler }) => isFunction(handler))),
  notifications: objectOf(madeBy('notification', ({ handler }) => isFunction(handler))),
  sends: TEXTS,
  asks: TEXTS,
  resultTypes: TEXTS,
  notices: objectOf(madeBy('notice', ({ method }) => typeof method === 'string')),
  middleware: MIDDLEWARE,
  needsClient: {
    is: 'a boolean or a function',
    fits: value => typeof value === 'boolean' || isFunction(value),
  },
  install: FUNCTION,
};

/**
 * Makes an extension for servers. Two extensions of a server that claim the same thing are refused when the server is
 * created, and so is one whose requirements are missing.
 *
 * @example
 * const search = extension({
 *   id: 'com.example/search',
 *   methods: { 'com.example/search': method(z.object({ words: z.string() }), ({ words }) => ({ books: find(words) })) },
 * });
 * const server = new Server({ name: 'library', version: '1.0.0' }, { extensions: [search] });
 *
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/versioning#extension-negotiation
 */
export function extension(definition: ExtensionDefinition): Extension {
  checkOptions(definition, DEFINITION, 'an extension');
  const { id, settings = {} } = definition;
  checkExtensionId(id);
  if (!isObject(settings) || !isJson(settings))
    throw new UsageError(`the settings of the extension "${id}" must be a JSON object`);
  checkDeclaration(definition, id, SHAPES);
  return { id, settings, [INSTALL]: host => install(definition, host) };
}

function install(definition: ExtensionDefinition, host: ExtensionHost): void {
  const { id, requires = [], needsClient = true } = definition;
  if (host.ids.filter(other => other === id).length > 1)
    throw new UsageError(`the server has the extension "${id}" twice`);
  const missing = requires.find(other => !host.ids.includes(other));
  if (missing !== undefined)
    throw new UsageError(
      `the extension "${id}" needs the extension "${missing}", which the server does not have`,
    );
  const who = `\`needsClient\` of the extension "${id}"`;
  const claimOf = (part: string): Claim =>
    typeof needsClient === 'function'
      ? { id, needsClient: revision => decide(() => needsClient(part, revision), who, host.report) }
      : { id, needsClient };
  installParts(definition, claimOf, host);
  for (const layer of definition.middleware ?? []) host.use(layer);
  const installing: unknown = definition.install?.(host.server as Server);
  // An author may have written an asynchronous function, whose failure nobody waits for.
  Promise.resolve(installing).catch(error => host.report(error, `\`install\` of the extension "${id}"`));
}

function installParts(
  definition: ExtensionDefinition,
  claimOf: (part: string) => Claim,
  host: ExtensionHost,
): void {
  const { methods = {}, notifications = {}, notices = {}, sends = [], asks = [] } = definition;
  const { report } = host;
  for (const [name, part] of Object.entries(methods)) {
    take(host.claims.messages, 'method', name, claimOf(name), host.methods.has(name));
    host.methods.set(name, compileMethod(name, part, report));
  }
  for (const [name, part] of Object.entries(notifications)) {
    take(host.claims.messages, 'notification', name, claimOf(name), host.notifications.has(name));
    host.notifications.set(name, compileNotification(name, part, report));
  }
  for (const name of asks) take(host.claims.messages, 'method', name, claimOf(name));
  // One notification may carry several kinds of notices, and be sent in a request, too.
  const sent = new Set([...sends, ...Object.values(notices).map(part => part.method)]);
  for (const name of sent) take(host.claims.messages, 'notification', name, claimOf(name));
  for (const type of definition.resultTypes ?? [])
    take(host.claims.resultTypes, 'result type', type, claimOf(type));
  for (const [member, part] of Object.entries(notices)) {
    take(host.claims.notices, 'filter', member, compileNotice(member, part, claimOf(member), report));
  }
}

/** Claims a name for an extension. Throws if it belongs to another one, to the protocol, or to the author. */
function take<C extends Claim>(
  claims: Map<string, C>,
  kind: 'method' | 'notification' | 'result type' | 'filter',
  name: string,
  claim: C,
  isTaken = false,
): void {
  const what = `the ${kind} ${quoteBriefly(name)}`;
  const owner = claims.get(name)?.id;
  if (owner !== undefined)
    throw new UsageError(`the extensions "${owner}" and "${claim.id}" both claim ${what}`);
  const mine = `the extension "${claim.id}" claims ${what}`;
  if (typeof name !== 'string' || name === '') throw new UsageError(`${mine}, which is no name`);
  if (isOfProtocol(kind, name)) throw new UsageError(`${mine}, which belongs to the protocol`);
  if (isTaken) throw new UsageError(`${mine}, which the server has a handler for already`);
  const isNotification = name.startsWith('notifications/');
  if (kind === 'notification' && !isNotification)
    throw new UsageError(`${mine}: notifications begin with "notifications/"`);
  if (kind === 'method' && isNotification)
    throw new UsageError(`${mine}, which is the name of a notification`);
  claims.set(name, claim);
}

function isOfProtocol(kind: string, name: string): boolean {
  if (kind === 'result type') return name === 'complete' || name === 'input_required';
  return kind === 'filter' ? CORE_FILTERS.includes(name) : isCoreMethod(name);
}
