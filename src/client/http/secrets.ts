import { canonicalText } from '../../base/canonical.js';
import { digest } from '../../base/digest.js';
import { UsageError } from '../../base/errors.js';
import type { Headers } from '../wire.js';
import type { Authorizer } from './access.js';

/** Names of headers whose values are credentials. Those of the protocol are none. */
const SECRET = /^(?!mcp-).*(authorization|cookie|token|secret|password|api-?key)/;
/** Names of this machine, as `URL` writes them. Names below `localhost` may be resolved elsewhere. */
const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Whether everything that is sent to a URL can be read on its way. */
export function isClearText({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && !LOOPBACK.test(hostname);
}

/**
 * Throws if credentials would travel to another machine without encryption.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/security-considerations#communication-security
 */
export function refuseInClearText(url: URL, headers: Headers, hasAuth = false): void {
  const name = Object.keys(headers).find(isSecret);
  if (!isClearText(url) || (name === undefined && !hasAuth)) return;
  const what = hasAuth ? 'credentials' : name;
  throw new UsageError(
    `${what} cannot be sent to ${url.host} over http:, where others can read it; use https:`,
  );
}

/**
 * Identifies the credentials that the next request will carry, without revealing them. Undefined if the authorizer
 * cannot tell.
 */
export async function identifyCredentials(
  authorizer: Authorizer | undefined,
  headers: Headers,
): Promise<string | undefined> {
  const identity = authorizer ? await authorizer.identity?.() : '';
  if (identity === undefined) return undefined;
  const secrets = Object.entries(headers).filter(([name]) => isSecret(name));
  if (identity === '' && secrets.length === 0) return '';
  return digest(canonicalText([identity, ...secrets]));
}

function isSecret(name: string): boolean {
  return SECRET.test(name);
}
