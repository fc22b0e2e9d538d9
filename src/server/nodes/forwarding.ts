import type { JsonObject } from '../../base/json.js';
import type { Malformed, Notification, RequestId, Response } from '../../jsonrpc/message.js';
import { StoreAway } from '../cluster/store-away.js';
import type { ClusterNode } from './node.js';

/** A session with requests of both sides that wait for something. */
export interface WaitingSession {
  readonly serial: string;
  /** The requests of the client. */
  readonly calls: Iterable<{ readonly id: RequestId }> & { cancel(params: JsonObject): void };
  /** Takes the progress of the answer to a question. */
  progressed(params: JsonObject): void;
  answer(response: Response): boolean;
  takeMalformed(malformed: Malformed): unknown;
}

/** A message that belongs to something that may be running on another node. */
type Forwardable = Response | Notification | Malformed;

const NOT_TAKEN = 'the node that asked this question has ended, or no longer waits for the answer';

/** Passes on the answers, progress and cancellations that reach another node than the one that waits for them. */
export class Forwarding {
  readonly #node: ClusterNode;
  readonly #ends: readonly (() => void)[];

  /** `known` finds the sessions that are in memory. */
  constructor(node: ClusterNode, known: (serial: string) => WaitingSession | undefined) {
    this.#node = node;
    const handle = (kind: string, take: (session: WaitingSession, message: never) => boolean) =>
      node.on(kind, ({ serial, message }) => {
        const session = known(serial as string);
        return session && take(session, message as never) ? {} : undefined;
      });
    this.#ends = [
      handle('response', (session, message: Response) => session.answer(message)),
      handle('malformed', (session, message: Malformed) => {
        session.takeMalformed(message);
        return true;
      }),
      handle('progress', (session, message: Notification) => {
        session.progressed(message.params);
        return true;
      }),
      handle('cancelled', (session, message: Notification) => {
        session.calls.cancel(message.params);
        return true;
      }),
    ];
  }

  /**
   * Passes a message on, if it does not belong to this node. Resolves to the reason if it was not taken; undefined if the
   * message is for this node.
   */
  forward(
    session: WaitingSession,
    message: Forwardable,
  ): Promise<string | StoreAway | undefined> | undefined {
    if (message.kind === 'notification') return this.#forwardNotification(session, message);
    const asker = this.#otherNode(message.kind === 'response' ? message.id : message.answerTo);
    if (asker === undefined) return undefined;
    return this.#try(async () => {
      const taken = await this.#node.ask(asker, message.kind, { serial: session.serial, message });
      return taken ? undefined : NOT_TAKEN;
    });
  }

  close(): void {
    for (const end of this.#ends) end();
  }

  #forwardNotification(
    { serial, calls }: WaitingSession,
    message: Notification,
  ): Promise<string | StoreAway | undefined> | undefined {
    const { method, params } = message;
    const content: JsonObject = { serial, message };
    if (method === 'notifications/progress') {
      const asker = this.#otherNode(params.progressToken as RequestId);
      return asker === undefined
        ? undefined
        : this.#try(() => this.#node.tellOne(asker, 'progress', content));
    }
    // Nobody knows where a request runs: requests must not cost a message.
    if (method !== 'notifications/cancelled' || [...calls].some(({ id }) => id === params.requestId))
      return undefined;
    return this.#try(() => this.#node.tell('cancelled', content));
  }

  async #try(work: () => Promise<string | undefined | void>): Promise<string | StoreAway | undefined> {
    try {
      return (await work()) ?? undefined;
    } catch (thrown) {
      return new StoreAway(thrown);
    }
  }

  /** The node that chose the id of a question; undefined if that is this node, or no node chose it. */
  #otherNode(id: RequestId | undefined): string | undefined {
    const [, node] = /^([0-9a-f]{16})-\d+$/.exec(String(id)) ?? [];
    return node === this.#node.id ? undefined : node;
  }
}
