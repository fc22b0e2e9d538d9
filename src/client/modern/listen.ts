import { isObject, type JsonObject } from '../../base/json.js';
import type { RequestId } from '../../jsonrpc/message.js';
import { ERROR, McpError } from '../../protocol/errors.js';
import type { SubscriptionFilter } from '../../protocol/subscription-filter.js';
import type { Agreement } from '../../revisions/agreement.js';
import { LISTEN_TIMEOUT_MS } from '../limits.js';
import type { ChangeListener, RequestOptions } from '../link.js';
import { checkFilter, describeMissing, notReported, reportable } from '../reported-changes.js';
import type { Requests } from '../requests.js';
import { Subscription } from './subscription.js';

/** The parts of a link that a subscription needs. */
export interface ListeningLink {
  readonly agreement: Agreement;
  readonly requests: Requests;
  /** How long the server may take to acknowledge a subscription. */
  readonly timeoutMs: number;
  readonly subscriptions: Map<RequestId, Subscription>;
  /** Asks the server again what it offers. */
  discover(options: RequestOptions): Promise<unknown>;
  enclose(params: JsonObject): JsonObject;
}

/** Sends `subscriptions/listen`. Resolves when the server ends the subscription. */
export async function listenToServer(
  link: ListeningLink,
  filter: SubscriptionFilter,
  listener: ChangeListener,
  signal: AbortSignal,
): Promise<void> {
  const wanted = await findReported(link, filter, signal);
  const subscription = new Subscription(wanted, listener, signal, link.agreement.claims);
  let id: RequestId | undefined;
  const enclose = (params: JsonObject, requestId: RequestId) => {
    id = requestId;
    link.subscriptions.set(requestId, subscription);
    return link.enclose(params);
  };
  const limits = {
    signal: subscription.signal,
    timeoutMs: link.timeoutMs,
    onLate: (error: Error) => subscription.late(error),
    maxTimeoutMs: LISTEN_TIMEOUT_MS,
    isBackground: true,
    // The server need not be told of an end that it told the client of.
    get cannotBeCancelled() {
      return subscription.isCancelled;
    },
  };
  try {
    await link.requests.send('subscriptions/listen', { notifications: onTheWire(wanted) }, limits, enclose);
  } catch (error) {
    if (subscription.isCancelled) return;
    throw subscription.failure ?? (isUnknownMethod(error) ? notReported(filter, error) : error);
  } finally {
    subscription.end();
    if (id !== undefined) link.subscriptions.delete(id);
  }
}

/** The part of a filter that the server reports. It may have gained capabilities since it was asked. */
async function findReported(
  link: ListeningLink,
  filter: SubscriptionFilter,
  signal: AbortSignal,
): Promise<SubscriptionFilter> {
  const isWhole = describeMissing(filter, reportable(link.agreement, filter)) === undefined;
  if (!isWhole) await link.discover({ signal });
  return checkFilter(link.agreement, filter);
}

function onTheWire({ own, ...core }: SubscriptionFilter): JsonObject {
  return { ...core, ...(isObject(own) ? own : {}) };
}

function isUnknownMethod(error: unknown): boolean {
  return error instanceof McpError && error.code === ERROR.methodNotFound;
}
