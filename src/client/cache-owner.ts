import { canonicalText } from '../base/canonical.js';
import { digest } from '../base/digest.js';
import type { Awaitable } from '../base/settle.js';
import type { Headers } from './wire.js';

/** Identifies the authorization under which a client now gets private results, so that no other one gets them. */
export class CacheOwner {
  readonly #partition: string;
  readonly #credentials: (() => Awaitable<string | undefined>) | undefined;

  /**
   * `partition` is for all results of the client; `credentials` identifies those that the next request will carry. Its
   * result is undefined if they cannot be identified.
   */
  constructor(partition: string, credentials: (() => Awaitable<string | undefined>) | undefined) {
    this.#partition = partition;
    this.#credentials = credentials;
  }

  /** The owner of the result of a request with these headers; undefined if it cannot be told. */
  async identify(headers: Headers | undefined): Promise<string | undefined> {
    try {
      const credentials = this.#credentials && (await this.#credentials());
      if (this.#credentials && credentials === undefined) return undefined;
      // Headers of a single request may carry credentials, too.
      const own = headers && (await digest(canonicalText(headers)));
      return canonicalText([this.#partition, credentials, own]);
    } catch {
      // The request needs the same credentials, so it reports the problem.
      return undefined;
    }
  }
}
