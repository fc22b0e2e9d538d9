import type { TopicListener } from './cluster.js';

/** The listeners of one node, by topic. */
export class Topics {
  readonly #listeners = new Map<string, Set<TopicListener>>();

  /** Adds a listener. Returns a function that removes it, and tells whether the topic has no others. */
  add(topic: string, listener: TopicListener): () => boolean {
    // One listener may subscribe twice, and ends each subscription by itself.
    const own: TopicListener = {
      onMessage: message => listener.onMessage(message),
      onGap: () => listener.onGap?.(),
      onAway: cause => listener.onAway?.(cause),
      onBack: () => listener.onBack?.(),
    };
    const listeners = this.#listeners.get(topic) ?? new Set();
    this.#listeners.set(topic, listeners.add(own));
    return () => {
      listeners.delete(own);
      if (listeners.size > 0) return false;
      if (this.#listeners.get(topic) === listeners) this.#listeners.delete(topic);
      return !this.#listeners.has(topic);
    };
  }

  /** The topics that have listeners. */
  names(): string[] {
    return [...this.#listeners.keys()];
  }

  has(topic: string): boolean {
    return this.#listeners.has(topic);
  }

  tell(topic: string, message: string): void {
    for (const listener of [...(this.#listeners.get(topic) ?? [])]) guard(() => listener.onMessage(message));
  }

  /** Tells every listener that messages may be missing. */
  tellGap(): void {
    this.#tellAll(listener => listener.onGap?.());
  }

  /** Tells every listener that the connection to the store was lost. */
  tellAway(cause: Error): void {
    this.#tellAll(listener => listener.onAway?.(cause));
  }

  tellBack(): void {
    this.#tellAll(listener => listener.onBack?.());
  }

  #tellAll(tell: (listener: TopicListener) => void): void {
    for (const listeners of [...this.#listeners.values()])
      for (const listener of [...listeners]) guard(() => tell(listener));
  }
}

/** A listener that throws keeps the message neither from the others nor from the connection: the process hears of it. */
function guard(tell: () => void): void {
  try {
    tell();
  } catch (thrown) {
    queueMicrotask(() => {
      throw thrown;
    });
  }
}
