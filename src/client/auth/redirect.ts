import { UsageError } from '../../base/errors.js';
import type { Awaitable } from '../../base/settle.js';
import { parseUrl } from '../../base/url.js';
import { isLoopback } from './addresses.js';

/** Brings users to the page of the authorization server and back. */
export interface Redirect {
  /**
   * Prepares to receive a user. `known` is the redirect URI that was registered before; some authorization servers
   * accept no other.
   */
  prepare(known: string | undefined): Awaitable<Redirection>;
}

/** One visit to a page and back. */
export interface Redirection {
  /** The redirect URI, to which the authorization server sends the user. */
  readonly uri: string;
  /** False if users come back through `finish` only, which may be called before `visit` has resolved. */
  readonly waits?: boolean | undefined;
  /** Sends the user to a page. Resolves with the address they came back to, or with undefined if it does not wait. */
  visit(url: URL, signal: AbortSignal): Promise<URL | undefined>;
  close(): Awaitable<void>;
}

/** Options of `loopback`. */
export interface LoopbackOptions {
  /** Any free port by default. The previous port is tried first, because some authorization servers accept no other. */
  port?: number | undefined;
  /** The path of the redirect URI; `/callback` by default. */
  path?: string | undefined;
  /** Sends the user to the page. By default it opens their browser, or else writes the address to standard error. */
  open?: ((url: URL) => void | Promise<void>) | undefined;
  /** Milliseconds to wait for the user; 5 minutes by default. */
  timeoutMs?: number | undefined;
  /** Complete pages for users who come back. They may have their own styles, but no scripts. */
  html?: CallbackPages | undefined;
}

/** Complete HTML pages. */
export interface CallbackPages {
  success?: string | undefined;
  failure?: string | undefined;
}

/**
 * Throws if users must not be sent back to an address: others could read the code in it.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/security-considerations#communication-security
 */
export function checkRedirectUri(uri: string): void {
  const url = parseUrl(uri);
  const isSecure = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopback(url.hostname));
  if (isSecure && !uri.includes('#')) return;
  throw new UsageError(
    `users cannot come back to ${JSON.stringify(uri)}; a redirect URI begins with https:, or with http: and an address of this machine, and has no #`,
  );
}
