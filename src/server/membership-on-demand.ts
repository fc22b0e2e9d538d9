import { OnDemand } from '../base/on-demand.js';
import type { LocalService } from '../protocol/service.js';
import type { Cluster } from './cluster/cluster.js';
import { ON_DEMAND } from './loading.js';
import { nodeOf } from './node-settings.js';
import type { Membership } from './nodes/join.js';

/** What a door says about its node. */
export interface NodeOptions {
  /** What the nodes of the server share: `redisCluster({ url })`, `postgresCluster({ url })`; nothing if not set. */
  cluster?: Cluster | undefined;
  /** Whether this node also runs tasks: true by default. False if other processes do, such as those of `work`. */
  work?: boolean | undefined;
}

/** Makes a server a node of a cluster, if there is one. The code for that is loaded now. */
export function joinCluster(
  service: LocalService,
  { cluster, work }: NodeOptions,
  keys: readonly Uint8Array<ArrayBuffer>[] | undefined,
  hasKeys: boolean,
): OnDemand<Membership> | undefined {
  const node = nodeOf(service);
  node.works = work ?? node.works;
  node.hasKeys ||= hasKeys;
  if (!cluster) return undefined;
  node.cluster ??= cluster;
  const membership = new OnDemand(async () => (await ON_DEMAND.get()).join(service, cluster, keys));
  Promise.resolve(membership.get()).catch(error => service.report(error, 'cluster'));
  return membership;
}

/** Leaves the cluster, if the server has become a node of it. */
export async function leaveCluster(membership: OnDemand<Membership> | undefined): Promise<void> {
  const joined = await Promise.resolve(membership?.get()).catch(() => undefined);
  await joined?.leave();
}
