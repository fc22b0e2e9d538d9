import { UsageError } from '../base/errors.js';
import { checkOptions, type OptionNames } from '../base/options.js';
import { parseUrl } from '../base/url.js';
import { SERVICE, type Servable } from '../protocol/service.js';
import type { Transport } from '../protocol/transport.js';
import { findRevision } from '../revisions/index.js';
import { Client, type ToolTypes } from './client.js';
import type { Command } from './command.js';
import type { ClientAuth } from './http/access.js';
import { createAuthorizedSender } from './http/authorized-sender.js';
import { createFetchSender } from './http/fetch-sender.js';
import { readOwnHeaders } from './http/own-headers.js';
import { identifyCredentials, refuseInClearText } from './http/secrets.js';
import type { HttpSender } from './http/send.js';
import { openHttp } from './http/streamable-http.js';
import { MAX_MESSAGE_BYTES } from './limits.js';
import type { Location } from './link-keeper.js';
import type { Dialer } from './negotiator.js';
import { CLIENT_OPTIONS, type ClientOptions } from './options.js';
import type { OpenWire } from './wire.js';

/** The address of a server: a URL, a program to start, a `Server` in this process, or a transport of your own. */
export type ConnectTarget = string | URL | Command | Servable | Transport;

/** Options of `connect`. */
export interface ConnectOptions extends ClientOptions {
  /** How to get access over HTTP, such as `signIn()` of `tenon/auth/client`. */
  auth?: ClientAuth | undefined;
  /** Headers to send with every HTTP request. */
  headers?: Readonly<Record<string, string | undefined>> | undefined;
  /** Sends HTTP requests, instead of the runtime's own client. */
  fetch?: typeof globalThis.fetch | undefined;
  /** The largest message that is read, in bytes. */
  maxMessageBytes?: number | undefined;
}

export const CONNECT_OPTIONS: OptionNames<ConnectOptions> = {
  ...CLIENT_OPTIONS,
  auth: 1,
  headers: 'an object',
  fetch: 'a function',
  maxMessageBytes: 'a number, 0 or more',
};

/** The means of a runtime to connect. */
export interface Platform {
  createSender(): HttpSender;
  /** Describes how to reach a program. Absent on runtimes that cannot start one. */
  locateCommand?(command: Command, options: ConnectOptions): Location;
}

/** Connects to a server. */
export type Connect = <Tools extends ToolTypes = ToolTypes>(
  target: ConnectTarget,
  options?: ConnectOptions,
) => Promise<Client<Tools>>;

export function createConnect(platform: Platform): Connect {
  return async <Tools extends ToolTypes>(target: ConnectTarget, options: ConnectOptions = {}) => {
    checkOptions(options, CONNECT_OPTIONS, 'connect');
    if (options.capabilities?.extensions ?? options.resultTypes)
      (await import('./on-demand.js')).checkOwnExtensions(options);
    const { extensions, roots, maxQuestionsPerMinute: perMinute } = options;
    if (options.revision && options.revisions) throw new UsageError('use either revision or revisions');
    if (roots) (await import('./on-demand.js')).checkRoots(roots);
    const installed = extensions && new (await import('./on-demand.js')).InstalledExtensions(extensions);
    const rate =
      perMinute === undefined ? undefined : new (await import('./on-demand.js')).QuestionRate(perMinute);
    const client = new Client<Tools>(locate(platform, target, options), options, installed, rate);
    try {
      return await client.open();
    } catch (error) {
      await client.close();
      throw error;
    }
  };
}

function locate(platform: Platform, target: ConnectTarget, options: ConnectOptions): Location {
  if (typeof target === 'string' || target instanceof URL) return overHttp(platform, String(target), options);
  const unused = (['auth', 'headers'] as const).find(name => options[name] !== undefined);
  if (unused) throw new UsageError(`${unused} is only sent over HTTP: ${INSTEAD}`);
  if (typeof target !== 'object' || target === null) throw new UsageError(TARGETS);
  if ('command' in target) {
    if (platform.locateCommand) return platform.locateCommand(target, options);
    throw new UsageError('programs can only be started on Node; connect to a URL here');
  }
  const service = SERVICE in target ? target[SERVICE] : undefined;
  const transport = service?.openPipe() ?? (target as Transport);
  if (typeof transport.start !== 'function') {
    throw new UsageError(TARGETS);
  }
  const label = service?.info.name ?? 'transport';
  const open: OpenWire = async (...args) => (await import('./on-demand.js')).openDuplex(transport)(...args);
  const dialer = { open, canReopen: false };
  return { dialer, name: crypto.randomUUID(), label, reconnects: false };
}

const TARGETS = 'connect needs a URL, { command }, a Server, or a transport';
const INSTEAD = 'connect to a URL, or give a program its credentials with { command, env: { TOKEN: "…" } }';

function overHttp(platform: Platform, target: string, options: ConnectOptions) {
  const url = parseUrl(target);
  if (!url || !/^https?:$/.test(url.protocol)) {
    throw new UsageError(
      `${target} is not an http or https URL; to start a program, pass { command: ${JSON.stringify(target)} }`,
    );
  }
  if (url.searchParams.has('access_token'))
    throw new UsageError('an access token must not be in the URL, which is logged; use `auth` or `headers`');
  if (options.auth && typeof options.auth.authorizer !== 'function')
    throw new UsageError(
      'auth must be made by signIn({ … }), bearer(token) or the like of tenon/auth/client',
    );
  const { fetch, maxMessageBytes: maxBytes = MAX_MESSAGE_BYTES, revision, revisions } = options;
  const headers = readOwnHeaders(options.headers ?? {});
  refuseInClearText(url, headers, options.auth !== undefined);
  const allowed = revision === undefined ? revisions : [revision];
  const authorizer = options.auth?.authorizer(
    url.href,
    allowed?.some(name => findRevision(name)?.defaultEndpoints) === false,
  );
  const createSender = () => {
    const sender = fetch ? createFetchSender(fetch) : platform.createSender();
    return authorizer ? createAuthorizedSender(sender, authorizer) : sender;
  };
  const loadReader = () => import('./on-demand.js');
  const wire = () => ({ url: url.href, sender: createSender(), headers, maxBytes, loadReader });
  const dialer: Dialer = {
    open: (...args) => openHttp(wire())(...args),
    openSse: async (...args) => {
      const { openDuplex, SseTransport } = await import('./on-demand.js');
      return openDuplex(new SseTransport(wire()))(...args);
    },
    canReopen: true,
  };
  // Without the credentials and the query, which may be secret.
  const label = url.origin + url.pathname;
  const credentials = () => identifyCredentials(authorizer, headers);
  return { dialer, name: url.href, label, reconnects: true, credentials };
}
