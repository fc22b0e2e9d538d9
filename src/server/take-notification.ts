import type { Notification } from '../jsonrpc/message.js';
import type { NotificationSender, Service } from '../protocol/service.js';
import { holdWhile } from './charge.js';
import type { Account, NoRoom } from './ledger.js';

/** Hands a notification to its handler, and books it until that has ended. Returns the error if there is no memory. */
export function takeNotification(
  service: Service,
  { method, params, weight }: Notification,
  from: NotificationSender,
  account: Account,
): NoRoom | undefined {
  const refusal = account.refusal(weight);
  if (refusal) return refusal;
  const handling = service.notified(method, params, from);
  if (handling) holdWhile(account, weight, handling);
  return undefined;
}
