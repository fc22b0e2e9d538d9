import type { Cluster } from '../../src/server/cluster/index.js';

/** What was heard of a topic so far. */
export interface Recording {
  readonly messages: string[];
  /** How often messages may be missing. */
  readonly gaps: () => number;
  close(): Promise<void>;
}

/** Subscribes to a topic, and keeps what is heard. */
export async function recordTopic(cluster: Cluster, topic: string): Promise<Recording> {
  const messages: string[] = [];
  let gaps = 0;
  const subscription = await cluster.subscribe(topic, {
    onMessage: message => {
      messages.push(message);
    },
    onGap: () => {
      gaps++;
    },
  });
  return { messages, gaps: () => gaps, close: () => subscription.close() };
}
