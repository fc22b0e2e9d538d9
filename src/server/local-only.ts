import { tellOncePerProcess } from '../base/once-per-process.js';
import type { Service } from '../protocol/service.js';

const REMEDY =
  'If there are several processes, give them a cluster, or route each Mcp-Session-Id to one of them.';

/** What only this process knows, although others may have its keys. */
const LOCAL = {
  changes:
    'keys are set, but clients that listen here hear only of changes that this process announces. If there are several ' +
    'processes, give them a cluster.',
  ended:
    'a client ended its session, and only this process knows it: other processes with the same keys accept the session ' +
    `until it expires. ${REMEDY}`,
  state: `keys are set, but only this process knows the log level, subscriptions, values and open pages of its sessions. ${REMEDY}`,
  others:
    'a client answered a question, or came back to a stream, that this process does not know; it may have been of an ' +
    `earlier process. ${REMEDY}`,
} as const;

/** Tells the operator, once per process, that something is known in this process only. */
export function warnLocal(service: Pick<Service, 'warn'>, what: keyof typeof LOCAL): void {
  const where = what === 'changes' ? 'changes' : 'sessions';
  tellOncePerProcess(LOCAL[what], text => service.warn(text, where));
}
