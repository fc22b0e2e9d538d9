import { UsageError } from '../base/errors.js';
import type { JsonObject } from '../base/json.js';
import { NotSupported } from '../protocol/failures.js';
import type { Agreement, Obstacle } from '../revisions/agreement.js';
import { whyNoTask } from '../revisions/tasks.js';

/** Why the client must not send a message; undefined if it may. */
export function whyNotSend(
  agreement: Agreement,
  method: string,
  params: JsonObject = {},
): Obstacle | undefined {
  return agreement.whyNot('client', method, params) ?? whyNoTask(agreement, method, params);
}

/** Throws if the client must not send a message: the server, the client itself or the revision lacks what it needs. */
export function checkSending(agreement: Agreement, method: string, params?: JsonObject): void {
  const obstacle = whyNotSend(agreement, method, params);
  if (!obstacle) return;
  const { message, missing } = obstacle;
  if (missing?.side === 'client') throw new UsageError(`${message}: add it to \`capabilities\` of connect`);
  const advice = missing ? '; `client.server.capabilities` has those that it did' : '';
  throw new NotSupported(message + advice, missing?.capability);
}
