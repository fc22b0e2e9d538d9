import type { LocalService } from '../../protocol/service.js';
import type { Cluster } from '../cluster/cluster.js';
import { relayChanges } from './change-relay.js';
import { Elsewhere, type Here } from './elsewhere.js';
import { printKeys } from './key-prints.js';
import { ClusterNode } from './node.js';

/** The part of one door of a server in a cluster. */
export interface Membership {
  /** Shares the sessions of an endpoint. */
  share(here: Here): Elsewhere;
  /** Leaves, when all doors of the server have left. */
  leave(): Promise<void>;
}

interface Joined {
  readonly node: ClusterNode;
  readonly listening: Promise<void>;
  readonly stopRelay: () => void;
  doors: number;
}

const JOINED = new WeakMap<Cluster, WeakMap<LocalService, Joined>>();

/** Makes a server a node of a cluster. Its doors share the node, so that changes are told once. */
export async function join(
  service: LocalService,
  cluster: Cluster,
  keys: readonly Uint8Array<ArrayBuffer>[] = [],
): Promise<Membership> {
  const servers = JOINED.get(cluster) ?? new WeakMap<LocalService, Joined>();
  JOINED.set(cluster, servers);
  const joined = servers.get(service) ?? start(service, cluster, keys);
  servers.set(service, joined);
  joined.doors++;
  await joined.listening;
  let hasLeft = false;
  return {
    share: here => new Elsewhere(joined.node, here, (text, where) => service.warn(text, where)),
    async leave() {
      if (hasLeft) return;
      hasLeft = true;
      joined.doors--;
      if (joined.doors > 0) return;
      servers.delete(service);
      joined.stopRelay();
      await joined.node.leave();
    },
  };
}

function start(service: LocalService, cluster: Cluster, keys: readonly Uint8Array<ArrayBuffer>[]): Joined {
  const node = new ClusterNode(service, cluster);
  const stopRelay = relayChanges(service, node);
  const listening = printKeys(keys).then(prints => node.listen(prints));
  return { node, stopRelay, listening, doors: 0 };
}
