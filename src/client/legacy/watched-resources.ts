import type { JsonObject } from '../../base/json.js';
import { McpError } from '../../protocol/errors.js';
import { isEmptyFilter } from '../../protocol/filtered-changes.js';
import type { SubscriptionFilter } from '../../protocol/subscription-filter.js';
import type { RequestOptions } from '../link.js';

/** The resources that a session is subscribed to. Several listeners may share the subscription to one. */
export class WatchedResources {
  readonly #request: (method: string, params: JsonObject, options: RequestOptions) => Promise<JsonObject>;
  /** How many listeners want updates of each resource. */
  readonly #counts = new Map<string, number>();

  constructor(request: (method: string, params: JsonObject, options: RequestOptions) => Promise<JsonObject>) {
    this.#request = request;
  }

  uris(): Iterable<string> {
    return this.#counts.keys();
  }

  /**
   * Subscribes to the resources of a filter, and adds them to `watched`. Returns the filter without those that the server
   * refuses.
   */
  async addAll(
    filter: SubscriptionFilter,
    watched: Set<string>,
    signal: AbortSignal,
  ): Promise<SubscriptionFilter> {
    const { resourceSubscriptions = [], ...lists } = filter;
    let refusal: McpError | undefined;
    for (const uri of new Set(resourceSubscriptions)) {
      try {
        await this.#add(uri, signal);
        watched.add(uri);
      } catch (error) {
        if (!(error instanceof McpError)) throw error;
        refusal = error;
      }
    }
    if (watched.size > 0) return { ...lists, resourceSubscriptions: [...watched] };
    if (refusal && isEmptyFilter(lists)) throw refusal;
    return lists;
  }

  /** A listener no longer wants a resource. If `isOver`, the server need not be told. */
  remove(uri: string, isOver: boolean): void {
    if (!this.#forget(uri) || isOver) return;
    this.#request('resources/unsubscribe', { uri }, {}).catch(() => {
      // A failure does not matter: the server would only send unneeded updates.
    });
  }

  async #add(uri: string, signal: AbortSignal): Promise<void> {
    const count = this.#counts.get(uri) ?? 0;
    this.#counts.set(uri, count + 1);
    try {
      if (count === 0) await this.#request('resources/subscribe', { uri }, { signal });
    } catch (error) {
      this.#forget(uri);
      throw error;
    }
  }

  /** Returns whether nobody wants updates of the resource any more. */
  #forget(uri: string): boolean {
    const count = (this.#counts.get(uri) ?? 1) - 1;
    if (count > 0) this.#counts.set(uri, count);
    else this.#counts.delete(uri);
    return count <= 0;
  }
}
