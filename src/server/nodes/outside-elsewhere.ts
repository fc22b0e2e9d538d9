import { LISTENER_KNOWN_MS, LISTENER_MS } from '../limits.js';
import type { ClusterNode } from './node.js';

/** The way to a client outside of its requests, through the node at which it has opened a stream. */
export class OutsideElsewhere {
  readonly #node: ClusterNode;
  readonly #serial: string;
  /** The node that was found last. */
  #found: Promise<string | undefined> = Promise.resolve(undefined);
  #foundAt = 0;
  #sending: Promise<unknown> = Promise.resolve();

  constructor(node: ClusterNode, serial: string) {
    this.#node = node;
    this.#serial = serial;
  }

  /** Whether the client has a stream at some node. */
  async isThere(): Promise<boolean> {
    return (await this.#find()) !== undefined;
  }

  send(text: string): void {
    this.#sending = this.#sending
      .then(() => this.#send(text))
      .catch(() => {
        // The store is away, and so is the client.
      });
  }

  async #send(text: string): Promise<void> {
    const listener = await this.#find();
    if (listener !== undefined) await this.#node.tellOne(listener, 'outside', { serial: this.#serial, text });
  }

  #find(): Promise<string | undefined> {
    if (Date.now() - this.#foundAt < LISTENER_KNOWN_MS) return this.#found;
    this.#foundAt = Date.now();
    // Without a text it is only a question.
    const asking = this.#node.ask(undefined, 'outside', { serial: this.#serial }, LISTENER_MS);
    this.#found = asking.then(answer => answer?.node as string | undefined);
    this.#found.catch(() => {
      this.#foundAt = 0;
    });
    return this.#found;
  }
}
