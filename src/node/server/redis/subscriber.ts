import { inBackground } from '../../../base/background.js';
import type { Subscription, TopicListener } from '../../../server/cluster/cluster.js';
import { KeptConnection } from '../../../server/cluster/kept-connection.js';
import { Topics } from '../../../server/cluster/topics.js';
import { type ClientSettings, endClient, loadClient, openClient, type RedisClient } from './client.js';
import type { Keys } from './keys.js';

/** How many channels are named in one command when a connection is opened anew. */
const CHANNELS_AT_ONCE = 1_000;

/** Hears channels on a connection of its own. When that is lost, it subscribes again, and tells listeners of the gap. */
export class RedisSubscriber {
  readonly #settings: ClientSettings;
  readonly #keys: Keys;
  readonly #topics = new Topics();
  readonly #connection: KeptConnection<RedisClient>;
  /** The last command about each channel: commands about one channel must not overtake each other. */
  readonly #turns = new Map<string, Promise<unknown>>();
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  #wasOpen = false;

  constructor(settings: ClientSettings, keys: Keys) {
    this.#settings = settings;
    this.#keys = keys;
    this.#connection = new KeptConnection<RedisClient>({
      store: 'Redis',
      timeoutMs: settings.timeoutMs,
      load: loadClient,
      open: onLost => this.#open(onLost),
      isAlive: client => client.isReady,
      end: endClient,
      onAway: cause => this.#topics.tellAway(cause),
      onBack: () => this.#topics.tellBack(),
    });
  }

  async subscribe(topic: string, listener: TopicListener): Promise<Subscription> {
    const remove = this.#topics.add(topic, listener);
    const channel = this.#keys.channel(topic);
    try {
      await this.#inTurn(channel, () =>
        this.#connection.use(client => client.subscribe(channel, this.#onMessage)),
      );
    } catch (error) {
      remove();
      throw error;
    }
    this.#startHeartbeat();
    return {
      close: async () => {
        if (remove()) await this.#inTurn(channel, () => this.#leave(topic, channel));
      },
    };
  }

  close(): void {
    clearInterval(this.#heartbeat);
    this.#connection.close();
  }

  async #open(onLost: (cause: unknown) => void): Promise<RedisClient> {
    const client = await openClient(this.#settings, onLost);
    const channels = this.#topics.names().map(topic => this.#keys.channel(topic));
    for (let at = 0; at < channels.length; at += CHANNELS_AT_ONCE)
      await client.subscribe(channels.slice(at, at + CHANNELS_AT_ONCE), this.#onMessage);
    if (this.#wasOpen) this.#topics.tellGap();
    this.#wasOpen = true;
    return client;
  }

  readonly #onMessage = (message: string, channel: string): void => {
    this.#topics.tell(this.#keys.topic(channel), message);
  };

  /** Without a connection there is nothing to leave: the next one subscribes to what is wanted then. */
  async #leave(topic: string, channel: string): Promise<void> {
    if (this.#topics.has(topic) || !this.#connection.isOpen) return;
    await this.#connection.use(client => client.unsubscribe(channel)).catch(() => {});
  }

  #inTurn<T>(channel: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#turns.get(channel) ?? Promise.resolve()).then(work, work);
    this.#turns.set(channel, turn);
    const forget = () => {
      if (this.#turns.get(channel) === turn) this.#turns.delete(channel);
    };
    turn.then(forget, forget);
    return turn;
  }

  /** A connection that was cut without a word looks like one on which nothing is published. */
  #startHeartbeat(): void {
    let isBeating = false;
    this.#heartbeat ??= inBackground(
      setInterval(async () => {
        if (isBeating || !this.#connection.isOpen) return;
        isBeating = true;
        await this.#connection.use(client => client.ping()).catch(() => {});
        isBeating = false;
      }, this.#settings.timeoutMs),
    );
  }
}
