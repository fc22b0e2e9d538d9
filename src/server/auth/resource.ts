import { UsageError } from '../../base/errors.js';
import { parseUrl } from '../../base/url.js';
import type { ProtectedRequest } from '../http/protection.js';

/** Names of this machine, with or without a port. */
export const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

/** The path that `listen` serves by default. */
const USUAL_PATH = '/mcp';

/**
 * Returns the URI that tokens have to be issued for. The client chooses the Host header, so the header is trusted only
 * on connections that never left this machine.
 */
export function createResource(resource: string | undefined): (request: ProtectedRequest) => string {
  if (resource !== undefined) {
    const canonical = canonicalUri(resource);
    return () => canonical;
  }
  return request => {
    const host = request.header('host') ?? '';
    if (!request.isLocal || !LOOPBACK_HOST.test(host)) {
      throw new UsageError('protect() needs `resource`, the URL that clients reach this server by');
    }
    return `http://${host.toLowerCase()}${USUAL_PATH}`;
  };
}

/**
 * The form in which URIs are compared: scheme and host in lower case, and no slash at the end.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#canonical-server-uri
 */
export function canonicalUri(uri: string): string {
  const url = parseUrl(uri);
  if (!url || !/^https?:$/.test(url.protocol) || uri.includes('#')) {
    throw new UsageError(`"${uri}" cannot identify a server; use its https URL without a fragment`);
  }
  return url.href.replace(/\/$/, '');
}

/** Whether one of the audiences of a token is wanted. */
export function isAudience(claim: unknown, wanted: readonly string[]): boolean {
  const audiences = (Array.isArray(claim) ? claim : [claim]).filter(value => typeof value === 'string');
  return audiences.some(audience => wanted.includes(audience) || wanted.includes(comparable(audience)));
}

/** An audience that is not a URL is compared as it is. */
function comparable(audience: string): string {
  try {
    return canonicalUri(audience);
  } catch {
    return audience;
  }
}
