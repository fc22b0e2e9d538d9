import type { JsonObject } from '../../base/json.js';
import { notificationText } from '../../jsonrpc/message.js';
import {
  type Change,
  changeNotification,
  readSubscriptionFilter,
  type SubscriptionFilter,
  wantsChange,
} from '../../protocol/changes.js';
import { invalidParams } from '../../protocol/errors.js';
import { META, stampSubscription } from '../../protocol/meta.js';
import { watchProblem } from '../../protocol/resource-uri.js';
import type { Service } from '../../protocol/service.js';
import type { Agreement } from '../../revisions/agreement.js';
import type { Closing } from '../closing.js';
import type { ModernCall } from './call.js';

/**
 * Responds to `subscriptions/listen`: acknowledges the agreed notifications, delivers them, and ends with the closing
 * result when the server closes, or at once if there is nothing to deliver.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */
export async function answerListen(
  service: Service,
  { id, channel, signal, agreement, caller }: ModernCall,
  params: JsonObject,
  closing: Closing,
): Promise<JsonObject> {
  const asked = readSubscriptionFilter(params.notifications);
  if (typeof asked === 'string') throw invalidParams(asked);
  const problem = watchProblem(asked.resourceSubscriptions ?? []);
  if (problem) throw invalidParams(problem);
  const known = await Promise.all(
    (asked.resourceSubscriptions ?? []).map(uri => service.hasResource(uri, caller)),
  );
  const resourceSubscriptions = asked.resourceSubscriptions?.filter((_, at) => known[at]);
  const agreed = agree({ ...asked, ...(resourceSubscriptions && { resourceSubscriptions }) }, agreement);
  const send = (method: string, content?: JsonObject) => {
    const stamped = stampSubscription({ method, ...(content && { params: content }) }, id);
    channel.send(notificationText(stamped.method, stamped.params));
  };

  send('notifications/subscriptions/acknowledged', { notifications: agreed });
  if (Object.keys(agreed).length > 0) {
    const stop = service.watch(change => {
      if (!wantsChange(agreed, change)) return;
      const { method, params: content } = changeNotification(change);
      send(method, content);
    });
    await closing.orAborted(signal);
    stop();
  }
  return { _meta: { [META.subscriptionId]: id } };
}

/** The notifications that the client asked for and the server can deliver. */
function agree(asked: SubscriptionFilter, agreement: Agreement): SubscriptionFilter {
  const may = (change: Change) => agreement.maySend('server', changeNotification(change).method);
  return {
    ...(asked.toolsListChanged && may({ kind: 'tools' }) && { toolsListChanged: true }),
    ...(asked.promptsListChanged && may({ kind: 'prompts' }) && { promptsListChanged: true }),
    ...(asked.resourcesListChanged && may({ kind: 'resources' }) && { resourcesListChanged: true }),
    ...(asked.resourceSubscriptions?.length &&
      may({ kind: 'resource', uri: '' }) && { resourceSubscriptions: asked.resourceSubscriptions }),
  };
}
