import { clip } from '../../base/clip.js';
import { UsageError } from '../../base/errors.js';
import { quoteBriefly } from '../../base/json.js';
import { parseUrl } from '../../base/url.js';
import type { Exchange } from './exchange.js';

export interface GuardOptions {
  /** Host names that may be used to reach this server, such as `mcp.example.com`; any port. */
  allowedHosts?: readonly string[] | undefined;
  /** Web origins that may call this server, such as `https://app.example.com`; `*` for all. */
  allowedOrigins?: readonly string[] | undefined;
}

/** Returns why a request is refused before any of it is read; undefined if it is not. */
export type Guard = (exchange: Exchange) => { status: number; problem: string } | undefined;

const HOST = /^([^\s/:*]+|\[[\da-f:.]+\])$/i;
const ORIGIN = /^([a-z][a-z\d+.-]*:\/\/[^\s/*]+\/?|null|\*)$/i;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * Keeps web pages from reaching a server through the user's browser, directly or by DNS rebinding. On a loopback
 * connection only loopback names and origins pass; elsewhere an origin must have been allowed.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#security-&-endpoint
 */
export function createGuard(options: GuardOptions): Guard {
  const { allowedHosts = [], allowedOrigins = [] } = options;
  for (const host of allowedHosts)
    check('allowedHosts', host, HOST, 'hosts without scheme or port: "mcp.example.com"');
  for (const origin of allowedOrigins)
    check('allowedOrigins', origin, ORIGIN, 'origins: "https://app.example.com"');
  const hosts = options.allowedHosts && new Set(options.allowedHosts.map(host => host.toLowerCase()));
  const origins = new Set(options.allowedOrigins?.map(origin => origin.toLowerCase().replace(/\/$/, '')));

  return exchange => {
    const { name, isLoopback } = readHost(exchange.header('host'));
    if (name === undefined) return refused('the Host header is missing or malformed');
    if (exchange.isRepeated('host')) return { status: 400, problem: 'the Host header must not be repeated' };
    if (hosts ? !hosts.has(name) && !(isLoopback && exchange.isLocal) : !isLoopback && exchange.isLocal) {
      return refused(`host ${clip(name)} may not be used to reach this server; add it to allowedHosts`);
    }
    const origin = exchange.header('origin');
    if (origin === undefined || origins.has('*') || origins.has(origin.toLowerCase())) return undefined;
    if (isLoopback && exchange.isLocal !== false && isLoopbackOrigin(origin)) return undefined;
    return refused(`origin ${clip(origin)} may not call this server; add it to allowedOrigins`);
  };
}

function check(option: string, value: unknown, form: RegExp, what: string): void {
  if (typeof value === 'string' && form.test(value)) return;
  throw new UsageError(`${option} has ${quoteBriefly(value)}, but it is a list of ${what}`);
}

function refused(problem: string) {
  return { status: 403, problem };
}

interface Host {
  name: string | undefined;
  isLoopback: boolean;
}

/** Parsed hosts are cached, because clients use only a few. */
const known = new Map<string | undefined, Host>();
const MAX_KNOWN = 100;

function readHost(host: string | undefined): Host {
  let read = known.get(host);
  if (!read) {
    const name = /^([\w.-]+|\[[\da-f:.]+\])(:\d+)?$/i.exec(host ?? '')?.[1]?.toLowerCase();
    read = { name, isLoopback: name !== undefined && LOOPBACK.test(name) };
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(host, read);
  }
  return read;
}

/** Browsers send an origin in exactly one form, so any other text that could be parsed into one is not an origin. */
function isLoopbackOrigin(origin: string): boolean {
  const url = /^https?:/.test(origin) ? parseUrl(origin) : undefined;
  return url?.origin === origin && LOOPBACK.test(url.hostname);
}
