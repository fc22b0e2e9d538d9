import type { Awaitable } from '../../base/settle.js';

/** How users get to the page of the authorization server and back. */
export interface Redirect {
  /**
   * Makes ready to receive a user. `known` is the address that was used before, at which some authorization
   * servers insist.
   */
  prepare(known: string | undefined): Awaitable<Redirection>;
}

/** One way to a page and back. */
export interface Redirection {
  /** Where the authorization server is to send the user. */
  readonly uri: string;
  /** Brings the user to a page. Resolves with the address at which they came back; with nothing if that is not waited for. */
  visit(url: URL, signal: AbortSignal): Promise<URL | undefined>;
  close(): Awaitable<void>;
}

/** How `loopback` receives users. */
export interface LoopbackOptions {
  /** Any free one by default. The one of last time comes first, because some authorization servers insist on it. */
  port?: number | undefined;
  /** `/callback` by default. */
  path?: string | undefined;
  /**
   * Brings the user to the page. By default their browser is opened, or if there is none, the address is written to
   * standard error.
   */
  open?: ((url: URL) => void | Promise<void>) | undefined;
  /** How long to wait for the user: 5 minutes by default. */
  timeoutMs?: number | undefined;
  /** Whole pages for users who come back. They may have styles of their own, but no scripts. */
  html?: CallbackPages | undefined;
}

/** Whole HTML pages. */
export interface CallbackPages {
  success?: string | undefined;
  failure?: string | undefined;
}
