import { inBackground } from '../../base/background.js';
import { UsageError } from '../../base/errors.js';
import type { JsonObject } from '../../base/json.js';
import type { Awaitable } from '../../base/settle.js';
import type { Service } from '../../protocol/service.js';
import type { Cluster, Subscription, TopicListener } from '../cluster/cluster.js';
import { CLUSTER_RETRY_MS, NODE_ANSWER_MS } from '../limits.js';
import { areCompatible } from './key-prints.js';
import { type Names, sharedNames } from './names.js';

/** Takes a message of another node. The returned object goes back to a node that asked. */
export type PeerMessageHandler = (content: JsonObject, from: string) => Awaitable<JsonObject | undefined>;

/** A message between nodes. */
interface NodeMessage {
  readonly from: string;
  readonly kind: string;
  readonly content: JsonObject;
  /** The number of a question. */
  readonly asks?: number;
}

/** The kind of the message that answers a question; its content has the question's number, and the answer if there is one. */
const ANSWER = 'answer';
/** Asks the others to answer, so that both sides know each other. */
const HELLO = 'hello';
const GOODBYE = 'goodbye';

/**
 * This node among those of a server: it tells all of them something, or asks one of them. While the store is away, that
 * rejects, and it listens again when the store is back.
 */
export class ClusterNode {
  readonly id = crypto.randomUUID().replaceAll('-', '').slice(0, 16);
  readonly cluster: Cluster;
  readonly names: Names;
  readonly #service: Pick<Service, 'report' | 'warn'>;
  readonly #handlers = new Map<string, Set<PeerMessageHandler>>();
  readonly #gapListeners = new Set<() => void>();
  readonly #questions = new Map<number, (answer: JsonObject | undefined, from: string) => void>();
  /** The other nodes that were heard, without those that did not answer since. */
  readonly #others = new Set<string>();
  readonly #subscriptions: Subscription[] = [];
  #lastQuestion = 0;
  #isAway = false;
  #hasLeft = false;
  /** Digests of the keys of this node; empty if it has none. */
  #keys: readonly string[] = [];
  /** The keys of other nodes that were found to be different, so that each is told once. */
  readonly #foreignKeys = new Set<string>();

  constructor(service: Pick<Service, 'info' | 'report' | 'warn'>, cluster: Cluster) {
    this.#service = service;
    this.cluster = cluster;
    this.names = sharedNames(service.info.name);
    this.on(HELLO, (content, from) => {
      this.#compareKeys(content, from);
      return { keys: this.#keys };
    });
  }

  /**
   * Starts to listen. Resolves when it does, or when the store proved to be away. The digests of the keys are shown to the
   * other nodes.
   */
  async listen(keys: readonly string[]): Promise<void> {
    this.#keys = keys;
    const topics = [this.names.everyone, this.names.node(this.id)];
    await Promise.all(topics.map(topic => this.#listenTo(topic)));
  }

  async leave(): Promise<void> {
    this.#hasLeft = true;
    for (const settle of this.#questions.values()) settle(undefined, this.id);
    const steps = [this.tell(GOODBYE, {}), ...this.#subscriptions.map(subscription => subscription.close())];
    // Where the store is away, it forgets subscriptions by itself, and other nodes notice that this one does not answer.
    await Promise.allSettled(steps);
  }

  /** Handles messages of a kind, until the returned function is called. */
  on(kind: string, handler: PeerMessageHandler): () => void {
    const handlers = this.#handlers.get(kind) ?? new Set();
    this.#handlers.set(kind, handlers.add(handler));
    return () => handlers.delete(handler);
  }

  /** Calls back when messages may have been missed. */
  onGap(listener: () => void): () => void {
    this.#gapListeners.add(listener);
    return () => this.#gapListeners.delete(listener);
  }

  /** Tells all other nodes. */
  tell(kind: string, content: JsonObject): Promise<void> {
    return this.#publish(this.names.everyone, { from: this.id, kind, content });
  }

  /**
   * Tells all other nodes, and resolves when those that are known have handled it. A node that does not answer in time is
   * not waited for again until it is heard.
   */
  async inform(kind: string, content: JsonObject): Promise<void> {
    const doors = this.#handlers.get(kind);
    // The other doors of this process are the same node, which does not hear itself.
    if (doors && doors.size > 1) await Promise.all([...doors].map(handler => handler(content, this.id)));
    const waiting = new Set(this.#others);
    if (waiting.size === 0) return this.tell(kind, content);
    const asks = ++this.#lastQuestion;
    const handled = new Promise<void>(resolve => {
      const timer = inBackground(setTimeout(resolve, NODE_ANSWER_MS));
      this.#questions.set(asks, (_, from) => {
        waiting.delete(from);
        if (waiting.size > 0 && from !== this.id) return;
        clearTimeout(timer);
        resolve();
      });
    });
    try {
      await this.#publish(this.names.everyone, { from: this.id, kind, content, asks });
      await handled;
      for (const silent of waiting) this.#others.delete(silent);
    } finally {
      this.#questions.delete(asks);
    }
  }

  /** Tells one node. */
  tellOne(node: string, kind: string, content: JsonObject): Promise<void> {
    return this.#publish(this.names.node(node), { from: this.id, kind, content });
  }

  /** Asks one node, or all if it is undefined. Undefined if none has an answer, or none answers in time. */
  async ask(
    node: string | undefined,
    kind: string,
    content: JsonObject,
    timeoutMs = NODE_ANSWER_MS,
  ): Promise<JsonObject | undefined> {
    const asks = ++this.#lastQuestion;
    const topic = node === undefined ? this.names.everyone : this.names.node(node);
    const answer = new Promise<JsonObject | undefined>(resolve => {
      const timer = inBackground(setTimeout(() => resolve(undefined), timeoutMs));
      this.#questions.set(asks, found => {
        clearTimeout(timer);
        resolve(found);
      });
    });
    try {
      await this.#publish(topic, { from: this.id, kind, content, asks });
      return await answer;
    } finally {
      this.#questions.delete(asks);
    }
  }

  /** Runs some work with the store, and tells the operator when the store goes away and when it is back. */
  async use<T>(work: (cluster: Cluster) => Promise<T>): Promise<T> {
    try {
      const result = await work(this.cluster);
      this.#back();
      return result;
    } catch (thrown) {
      this.#away(thrown);
      throw thrown;
    }
  }

  #away(thrown: unknown): void {
    if (!this.#isAway && !this.#hasLeft) this.#service.report(thrown, 'cluster');
    this.#isAway = true;
  }

  #back(): void {
    if (this.#isAway) this.#service.warn('the store that the nodes share is back', 'cluster');
    this.#isAway = false;
  }

  #publish(topic: string, message: NodeMessage): Promise<void> {
    return this.use(cluster => cluster.publish(topic, JSON.stringify(message)));
  }

  async #listenTo(topic: string): Promise<void> {
    const listener: TopicListener = {
      onMessage: text => this.#receive(JSON.parse(text) as NodeMessage, topic),
      onGap: () => this.#tellGap(),
      onAway: cause => this.#away(cause),
      onBack: () => this.#back(),
    };
    try {
      const subscription = await this.use(cluster => cluster.subscribe(topic, listener));
      if (this.#hasLeft) return await subscription.close();
      this.#subscriptions.push(subscription);
      // Messages that came before were missed.
      this.#tellGap();
    } catch (thrown) {
      // No further attempt mends this, such as a package that is not installed.
      if (thrown instanceof UsageError) throw thrown;
      if (this.#hasLeft) return;
      inBackground(setTimeout(() => void this.#listenTo(topic), CLUSTER_RETRY_MS));
    }
  }

  #tellGap(): void {
    for (const listener of [...this.#gapListeners]) listener();
    const hello = { from: this.id, kind: HELLO, content: { keys: this.#keys }, asks: ++this.#lastQuestion };
    this.#publish(this.names.everyone, hello).catch(() => {
      // The store is away again, and there will be another gap.
    });
  }

  #receive(message: NodeMessage, topic: string): void {
    const { from, kind, content } = message;
    const isOwn = from === this.id && topic === this.names.everyone;
    if (isOwn || this.#hasLeft) return;
    if (kind === GOODBYE) return void this.#others.delete(from);
    if (from !== this.id) this.#others.add(from);
    if (kind === ANSWER) {
      const settle = this.#questions.get(content.asks as number);
      const answer = content.answer as JsonObject | undefined;
      this.#compareKeys(answer ?? {}, from);
      return settle?.(answer, from);
    }
    this.#handle(message, topic).catch(thrown => this.#service.report(thrown, `${kind} of node ${from}`));
  }

  /** Tells the operator of nodes that refuse what this one has sealed, or the other way round. */
  #compareKeys({ keys }: JsonObject, from: string): void {
    if (!Array.isArray(keys) || areCompatible(this.#keys, keys)) return;
    const text = keys.join();
    if (this.#foreignKeys.has(text)) return;
    this.#foreignKeys.add(text);
    this.#service.warn(
      `node ${from} of this server has other keys than this one (${this.id}): each refuses the sessions and the rounds of ` +
        'the other. Give all nodes the same keys, in the same order.',
      'keys',
    );
  }

  async #handle({ from, kind, content, asks }: NodeMessage, topic: string): Promise<void> {
    let answer: JsonObject | undefined;
    for (const handler of [...(this.#handlers.get(kind) ?? [])])
      answer = (await handler(content, from)) ?? answer;
    if (asks === undefined) return;
    // Of all nodes, only one that has an answer speaks.
    if (answer === undefined && topic === this.names.everyone) return;
    await this.tellOne(from, ANSWER, { asks, ...(answer && { answer }) });
  }
}
