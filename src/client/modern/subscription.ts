import { onAbort } from '../../base/abort.js';
import { isObject } from '../../base/json.js';
import type { Notification } from '../../jsonrpc/message.js';
import { readChange } from '../../protocol/changes.js';
import type { Claims } from '../../protocol/extensions.js';
import { InvalidAnswer } from '../../protocol/failures.js';
import { commonFilter, isEmptyFilter } from '../../protocol/filtered-changes.js';
import { readSubscriptionFilter, type SubscriptionFilter } from '../../protocol/subscription-filter.js';
import type { ChangeListener } from '../link.js';
import { notReported, readNotice } from '../reported-changes.js';
import { ACKNOWLEDGED } from './link.js';

/**
 * One `subscriptions/listen` request, from its acknowledgement to its end.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */
export class Subscription {
  readonly #filter: SubscriptionFilter;
  readonly #listener: ChangeListener;
  readonly #claims: Claims | undefined;
  readonly #stop = new AbortController();
  readonly #ignoreSignal: () => void;
  /** Whether the server ended it with a notification instead of a result. */
  isCancelled = false;
  #isAcknowledged = false;
  /** Why the client gave it up. */
  failure: Error | undefined;

  constructor(
    filter: SubscriptionFilter,
    listener: ChangeListener,
    signal: AbortSignal,
    claims: Claims | undefined,
  ) {
    this.#filter = filter;
    this.#claims = claims;
    this.#listener = listener;
    this.#ignoreSignal = onAbort(signal, () => this.#stop.abort(signal.reason));
  }

  /** Aborts when the request is to be given up. */
  get signal(): AbortSignal {
    return this.#stop.signal;
  }

  receive({ method, params }: Notification): void {
    if (method === ACKNOWLEDGED) return this.#acknowledged(params.notifications);
    const change = readChange(method, params) ?? readNotice(this.#claims, method, params);
    if (change) this.#listener.changed(change);
  }

  /** The server ended the subscription with `notifications/cancelled`. */
  cancelled(): void {
    this.isCancelled = true;
    this.#stop.abort();
  }

  /** The time that the server had to acknowledge it is over. */
  late(error: Error): void {
    if (!this.#isAcknowledged) this.#fail(error);
  }

  end(): void {
    this.#ignoreSignal();
  }

  #acknowledged(notifications: unknown): void {
    // A server that does not say what it agreed to has agreed to everything.
    const agreed = notifications === undefined ? this.#filter : readSubscriptionFilter(notifications);
    if (typeof agreed === 'string') {
      return this.#fail(new InvalidAnswer(`the acknowledgement of a subscription is malformed: ${agreed}`));
    }
    const own = isObject(notifications) ? { own: notifications } : {};
    const active = commonFilter(this.#filter, { ...agreed, ...own });
    if (isEmptyFilter(active)) return this.#fail(notReported(this.#filter));
    this.#isAcknowledged = true;
    this.#listener.acknowledged(active);
  }

  #fail(error: Error): void {
    this.failure = error;
    this.#stop.abort(error);
  }
}
