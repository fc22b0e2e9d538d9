import { invalidParams } from '../../protocol/errors.js';
import { MAX_SUBSCRIBED_LENGTH, watchProblem } from '../../protocol/resource-uri.js';
import type { Account } from '../ledger.js';
import { SUBSCRIPTION_BYTES } from '../limits.js';

/** The URIs that a session subscribes to. Their memory is charged to an account. */
export class Subscriptions implements Iterable<string> {
  readonly #account: Account;
  readonly #uris = new Set<string>();
  #length = 0;

  constructor(account: Account) {
    this.#account = account;
  }

  get size(): number {
    return this.#uris.size;
  }

  [Symbol.iterator](): Iterator<string> {
    return this.#uris.values();
  }

  /** Throws if the session has too many already, or if there is no memory for another one. */
  add(uri: string): void {
    if (this.#uris.has(uri)) return;
    if (this.#length + uri.length > MAX_SUBSCRIBED_LENGTH)
      throw invalidParams(watchProblem([...this.#uris, uri]) as string);
    const bytes = uri.length + SUBSCRIPTION_BYTES;
    const refusal = this.#account.refusal(bytes);
    if (refusal) throw refusal;
    this.#uris.add(uri);
    this.#length += uri.length;
    this.#account.add(bytes);
  }

  delete(uri: string): void {
    if (!this.#uris.delete(uri)) return;
    this.#length -= uri.length;
    this.#account.remove(uri.length + SUBSCRIPTION_BYTES);
  }

  clear(): void {
    for (const uri of this.#uris) this.delete(uri);
  }
}
