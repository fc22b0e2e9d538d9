import { settle } from '../base/settle.js';
import type { Session } from '../protocol/call.js';
import type { Caller } from '../protocol/caller.js';
import { type Change, isSubscribed } from '../protocol/changes.js';
import type { Service } from '../protocol/service.js';

/**
 * Sends the notice of a changed resource to a client that subscribed to it, if the client may still use the resource:
 * access may have been withdrawn since it subscribed.
 */
export function tellOfResource(
  service: Service,
  change: Extract<Change, { kind: 'resource' }>,
  subscribed: Iterable<string>,
  { caller, session }: { caller: Caller | undefined; session?: Session },
  send: () => void,
): void {
  const uris = [...subscribed].filter(uri => isSubscribed([uri], change));
  if (uris.length === 0) return;
  settle(
    () => service.mayWatch(uris, caller, session),
    mayWatch => {
      if (mayWatch) send();
    },
    thrown => service.report(thrown, `the notice of "${change.uri}"`),
  );
}
