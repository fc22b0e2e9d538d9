import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { HeaderMap } from './entry.js';

/** Headers for one connection only: each side of the proxy has its own. */
const OF_CONNECTION = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const LOOPBACK_HOST = /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/i;

/**
 * The reason to refuse a request: the proxy is for this machine, and may add credentials, so that no page on the
 * internet may use it.
 */
export function refuseForeign({ host = '', origin }: IncomingHttpHeaders): string | undefined {
  if (!LOOPBACK_HOST.test(host)) return `the host "${host}" is not this machine`;
  const originHost = origin?.replace(/^https?:\/\//i, '');
  if (originHost !== undefined && !LOOPBACK_HOST.test(originHost)) {
    return `pages of ${origin} may not use this address`;
  }
  return undefined;
}

/**
 * The headers for the server: those of the client, with the server's host, and its origin where the client names the
 * proxy. Compression is not asked for, because messages are to be read.
 */
export function requestHeaders(
  { rawHeaders, headers }: IncomingMessage,
  target: URL,
  own: Readonly<Record<string, string>>,
): Record<string, string | string[]> {
  const replaced = {
    host: target.host,
    'accept-encoding': 'identity',
    ...(headers.origin === `http://${headers.host}` && { origin: target.origin }),
    ...Object.fromEntries(Object.entries(own).map(([name, value]) => [name.toLowerCase(), value])),
  };
  const sent = new Map<string, string[]>();
  for (const [name, value] of pairs(rawHeaders)) {
    const key = name.toLowerCase();
    if (key in replaced || isOfConnection(key, headers.connection)) continue;
    sent.set(name, [...(sent.get(name) ?? []), value]);
  }
  return { ...Object.fromEntries(sent), ...replaced };
}

/** The headers for the client: those of the server, in its spelling and order. */
export function responseHeaders({ rawHeaders, headers }: IncomingMessage): string[] {
  return pairs(rawHeaders)
    .filter(([name]) => !isOfConnection(name.toLowerCase(), headers.connection))
    .flat();
}

/** Headers by their names in lower case. */
export function toMap(rawHeaders: readonly string[]): HeaderMap {
  const map: Record<string, string> = {};
  for (const [name, value] of pairs(rawHeaders)) {
    const key = name.toLowerCase();
    map[key] = map[key] === undefined ? value : `${map[key]}, ${value}`;
  }
  return map;
}

function isOfConnection(name: string, connection = ''): boolean {
  return (
    OF_CONNECTION.has(name) ||
    connection
      .toLowerCase()
      .split(/\s*,\s*/)
      .includes(name)
  );
}

function pairs(raw: readonly string[]): [string, string][] {
  return Array.from({ length: raw.length / 2 }, (_, index) => [
    raw[2 * index] as string,
    raw[2 * index + 1] as string,
  ]);
}
