import { afterEach } from 'vitest';
import { type ListenOptions, listen, type RunningHttpServer } from '../../src/node/server/listen.js';
import type { Cluster } from '../../src/server/cluster/cluster.js';
import type { Server } from '../../src/server/server.js';
import { freshKeys } from '../keys.js';

/** A store that nodes share. Each node has a connection of its own. */
export interface SharedStore {
  connect(): Cluster;
  close(): Promise<void>;
}

/** Opens a store that has nothing in it. */
export type OpenStore = () => Promise<SharedStore>;

export interface Node {
  readonly server: Server;
  readonly running: RunningHttpServer;
  readonly cluster: Cluster;
  readonly keys: Uint8Array[];
  readonly warnings: string[];
  readonly errors: unknown[];
}

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Runs something after the test, before what was registered earlier. */
export function afterTest(cleanup: () => Promise<void>): void {
  cleanups.push(cleanup);
}

/** What a test may say about its nodes. */
export interface NodeOptions extends ListenOptions {
  /** Changes the connection of a node to the store. */
  wrap?: (cluster: Cluster, node: number) => Cluster;
}

/** Starts several nodes of one server on real sockets: equal keys, one store, no stickiness. */
export async function startNodes(
  open: OpenStore,
  count: number,
  create: (log: { onWarning(text: string): void; onError(error: unknown): void }, node: number) => Server,
  { wrap = cluster => cluster, ...options }: NodeOptions = {},
): Promise<Node[]> {
  const store = await open();
  afterTest(() => store.close());
  const keys = freshKeys();
  const nodes: Node[] = [];
  for (let at = 0; at < count; at++) {
    const warnings: string[] = [];
    const errors: unknown[] = [];
    const own = store.connect();
    afterTest(() => own.close());
    const cluster = wrap(own, at);
    const server = create(
      { onWarning: text => void warnings.push(text), onError: error => void errors.push(error) },
      at,
    );
    const running = await listen(server, { port: 0, keys, cluster, ...options });
    afterTest(() => running.close(0));
    nodes.push({ server, running, cluster, keys, warnings, errors });
  }
  return nodes;
}
