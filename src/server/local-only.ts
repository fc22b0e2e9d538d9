import { tellOncePerProcess } from '../base/once-per-process.js';
import type { Service } from '../protocol/service.js';

const REMEDY =
  'If there are several processes, give them a cluster, or route each Mcp-Session-Id to one of them.';

/** What only this process knows, although others may have its keys. `where` is the part that the warning is about. */
const LOCAL = {
  changes: {
    where: 'changes',
    warning:
      'keys are set, but clients that listen here hear only of changes that this process announces. If there are ' +
      'several processes, give them a cluster.',
  },
  ended: {
    where: 'sessions',
    warning:
      'a client ended its session, and only this process knows it: other processes with the same keys accept the ' +
      `session until it expires. ${REMEDY}`,
  },
  state: {
    where: 'sessions',
    warning: `keys are set, but only this process knows the log level, subscriptions, values and open pages of its sessions. ${REMEDY}`,
  },
  others: {
    where: 'sessions',
    warning:
      'a client answered a question, or came back to a stream, that this process does not know; it may have been of an ' +
      `earlier process. ${REMEDY}`,
  },
  uses: {
    where: 'singleUse',
    warning:
      'keys are set, but only this process remembers which states were used, so refuseReplays and ctx.once() do not ' +
      'refuse a state that another process with these keys has used. If there are several, give them a cluster, or a ' +
      'shared store as singleUse.',
  },
  tasks: {
    where: 'tasks',
    warning:
      'tasks are kept and run in this process only, and are lost with it; other processes that serve its clients do not ' +
      'know them. If there are several processes, give them a cluster.',
  },
} as const;

/** Tells the operator that something is known in this process only. */
export type WarnLocal = (what: keyof typeof LOCAL) => void;

/** The same, once per process. */
export function warnLocal(service: Pick<Service, 'warn' | 'isAlone'>, what: keyof typeof LOCAL): void {
  if (service.isAlone) return;
  const { where, warning } = LOCAL[what];
  tellOncePerProcess(warning, text => service.warn(text, where));
}
