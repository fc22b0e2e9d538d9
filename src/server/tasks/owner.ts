import type { Session } from '../../protocol/call.js';
import type { Caller } from '../../protocol/caller.js';
import type { LocalService } from '../../protocol/service.js';
import type { Owner } from './record.js';

/** The client that sends a request. */
export interface Asker {
  readonly caller: Caller | undefined;
  readonly session: Session | undefined;
}

/** Who a task belongs to that a client creates. */
export function ownerOf({ caller, session }: Asker): Owner {
  if (caller) return { principal: caller.principal };
  return session && isOfPipe(session) ? 'pipe' : 'anyone';
}

/** Whether tasks can be listed: only if the client can be told apart from others. */
export function canList(asker: Asker): boolean {
  return ownerOf(asker) !== 'anyone';
}

export function isSameOwner(one: Owner, other: Owner): boolean {
  if (typeof one === 'string' || typeof other === 'string') return one === other;
  return one.principal === other.principal;
}

/** Whether a session has a pipe of its own, and so one user. Doors for many clients serve the remote service. */
function isOfPipe(session: Session): boolean {
  const { service } = session as { service?: object };
  return service !== undefined && ('openPipe' satisfies keyof LocalService) in service;
}
