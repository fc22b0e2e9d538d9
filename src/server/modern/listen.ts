import type { JsonObject } from '../../base/json.js';
import { notificationText } from '../../jsonrpc/message.js';
import type { Caller } from '../../protocol/caller.js';
import { type Change, changeNotification, isFor, unfold } from '../../protocol/changes.js';
import { invalidParams, missingCapability } from '../../protocol/errors.js';
import type { NoticeClaim } from '../../protocol/extensions.js';
import { wantsChange } from '../../protocol/filtered-changes.js';
import { META, stampSubscription } from '../../protocol/meta.js';
import { watchProblem } from '../../protocol/resource-uri.js';
import type { Service } from '../../protocol/service.js';
import { readSubscriptionFilter, type SubscriptionFilter } from '../../protocol/subscription-filter.js';
import type { Agreement } from '../../revisions/agreement.js';
import type { Closing } from '../closing.js';
import { type Evictable, NoRoom } from '../ledger.js';
import { MAX_LISTEN_BYTES } from '../limits.js';
import { tellOfResource } from '../resource-notice.js';
import type { ModernCall } from './call.js';

/**
 * Responds to `subscriptions/listen`: acknowledges the agreed notifications, delivers them, and ends with the closing
 * result when the server closes, or at once if there is nothing to deliver.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
 */
export async function answerListen(
  service: Service,
  call: ModernCall,
  params: JsonObject,
  closing: Closing,
): Promise<JsonObject> {
  const { id, channel, running, agreement, caller } = call;
  const asked = readSubscriptionFilter(params.notifications);
  if (typeof asked === 'string') throw invalidParams(asked);
  const problem = watchProblem(asked.resourceSubscriptions ?? []);
  if (problem) throw invalidParams(problem);
  if (running.bytes > MAX_LISTEN_BYTES) throw new NoRoom(413);
  const known = await Promise.all(
    (asked.resourceSubscriptions ?? []).map(uri => service.hasResource(uri, caller)),
  );
  const resourceSubscriptions = asked.resourceSubscriptions?.filter((_, at) => known[at]);
  const agreed = agree({ ...asked, ...(resourceSubscriptions && { resourceSubscriptions }) }, agreement);
  const notices = await agreeNotices(params.notifications as JsonObject, agreement, caller);
  const send = (method: string, content?: JsonObject) => {
    const stamped = stampSubscription({ method, ...(content && { params: content }) }, id);
    channel.announce(notificationText(stamped.method, stamped.params));
  };

  const listens = { ...agreed, ...Object.fromEntries(notices.map(({ member, wanted }) => [member, wanted])) };
  send('notifications/subscriptions/acknowledged', { notifications: listens });
  if (Object.keys(listens).length > 0) {
    const tellOf = (change: Change) => {
      const isWanted = change.kind === 'notice' ? wantsNotice(notices, change) : wantsChange(agreed, change);
      if (!isWanted || !isFor(change, { principal: caller?.principal })) return;
      const { method, params: content = {} } = changeNotification(change);
      const tell = () => {
        const passed = service.outgoing(method, content, { client: call.client, session: undefined, caller });
        listening.wasUsed = true;
        if (passed) send(method, passed);
      };
      if (change.kind !== 'resource') return tell();
      tellOfResource(service, change, agreed.resourceSubscriptions ?? [], { caller }, tell);
    };
    const stop = service.watch(told => {
      for (const change of unfold(told, agreed.resourceSubscriptions ?? [])) tellOf(change);
    });
    const listening: Evictable = {
      wasUsed: true,
      evict() {
        // Without its closing result the client knows that it should listen again.
        running.evict(new NoRoom(503));
        return true;
      },
    };
    const { ledger } = running.account;
    ledger.evictable.add(listening);
    await closing.orAborted(running.cancellation);
    ledger.evictable.delete(listening);
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

/** A part of the filter that an extension brought, and what the server agreed to. */
interface AgreedNotice {
  readonly member: string;
  readonly claim: NoticeClaim;
  readonly wanted: unknown;
}

/** The parts of the filter that extensions brought. Throws if the client did not declare such an extension. */
async function agreeNotices(
  asked: JsonObject,
  agreement: Agreement,
  caller: Caller | undefined,
): Promise<AgreedNotice[]> {
  const agreed: AgreedNotice[] = [];
  for (const [member, claim] of agreement.claims?.notices ?? []) {
    if (asked[member] === undefined) continue;
    if (agreement.missingFor(claim))
      throw missingCapability(`listening to ${member}`, `extensions.${claim.id}`);
    const wanted = await claim.agree(asked[member], caller);
    if (wanted !== undefined) agreed.push({ member, claim, wanted });
  }
  return agreed;
}

function wantsNotice(
  notices: readonly AgreedNotice[],
  { method, params }: Extract<Change, { kind: 'notice' }>,
): boolean {
  return notices.some(({ claim, wanted }) => claim.method === method && claim.wants(wanted, params));
}
