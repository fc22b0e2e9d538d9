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
