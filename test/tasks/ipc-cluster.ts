import type { ChildProcess } from 'node:child_process';
import type { Cluster, Subscription, TopicListener } from '../../src/server/cluster/index.js';

type Method = 'publish' | 'read' | 'write' | 'remove' | 'list' | 'append' | 'readLog';

interface Asked {
  readonly kind: 'ask';
  readonly id: number;
  readonly method: Method | 'subscribe';
  readonly args: unknown[];
}

interface Answered {
  readonly kind: 'answer';
  readonly id: number;
  readonly value: unknown;
}

interface Published {
  readonly kind: 'published';
  readonly topic: string;
  readonly message: string;
}

/** Lets a child process use a cluster of this process, as nodes use a store. */
export function lendCluster(cluster: Cluster, child: ChildProcess): void {
  child.on('message', async (asked: Asked) => {
    if (asked.kind !== 'ask') return;
    const { id, method, args } = asked;
    const send = (message: Answered | Published) => child.connected && child.send(message);
    if (method === 'subscribe') {
      const [topic] = args as [string];
      await cluster.subscribe(topic, { onMessage: message => send({ kind: 'published', topic, message }) });
      send({ kind: 'answer', id, value: undefined });
      return;
    }
    const run = cluster[method] as (...given: unknown[]) => Promise<unknown>;
    send({ kind: 'answer', id, value: await run.apply(cluster, args) });
  });
}

/** The cluster of the parent process. */
export function borrowCluster(): Cluster {
  const waiting = new Map<number, (value: never) => void>();
  const listeners = new Map<string, Set<TopicListener>>();
  let lastId = 0;
  process.on('message', (message: Answered | Published) => {
    if (message.kind === 'answer') waiting.get(message.id)?.(message.value as never);
    else for (const listener of listeners.get(message.topic) ?? []) listener.onMessage(message.message);
  });
  const ask = <T>(method: Asked['method'], ...args: unknown[]) =>
    new Promise<T>(resolve => {
      const id = ++lastId;
      waiting.set(id, resolve);
      process.send?.({ kind: 'ask', id, method, args } satisfies Asked);
    });
  return {
    publish: (...args) => ask('publish', ...args),
    async subscribe(topic, listener): Promise<Subscription> {
      const known = listeners.get(topic) ?? new Set();
      listeners.set(topic, known.add(listener));
      await ask('subscribe', topic);
      return { close: async () => void known.delete(listener) };
    },
    read: (...args) => ask('read', ...args),
    write: (...args) => ask('write', ...args),
    remove: (...args) => ask('remove', ...args),
    list: (...args) => ask('list', ...args),
    append: (...args) => ask('append', ...args),
    readLog: (...args) => ask('readLog', ...args),
    close: async () => {},
  };
}
