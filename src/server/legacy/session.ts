import type { Cancellation } from '../../base/cancellation.js';
import { Cancelled } from '../../base/errors.js';
import { Slots } from '../../base/slots.js';
import { errorText, type Malformed, notificationText, type RequestId } from '../../jsonrpc/message.js';
import { Peer } from '../../jsonrpc/peer.js';
import type { ClientDescription, Session } from '../../protocol/call.js';
import { type Change, changeNotification } from '../../protocol/changes.js';
import { invalidParams } from '../../protocol/errors.js';
import type { LogLevel } from '../../protocol/logging.js';
import type { Revision } from '../../revisions/index.js';

/** What `initialize` settled; everything that a session needs to go on anywhere. */
export interface Handshake {
  revision: Revision;
  client: ClientDescription;
}

/** How many characters the URIs that a session subscribes to may have together. */
const MAX_SUBSCRIBED = 64 * 1024;

/** How many pages a session remembers that nobody has come back from. */
const MAX_ELICITATIONS = 100;

/** A request that is being handled. */
interface Running {
  readonly id: RequestId;
  readonly cancellation: Cancellation;
}

/**
 * One handshake and what has changed since. All of the latter is made only when it is used, so a session
 * that just calls tools has next to nothing.
 */
export class LegacySession implements Session {
  readonly handshake: Handshake;
  readonly id: string | undefined;
  /** Undefined until the client sets one. */
  logLevel: LogLevel | undefined;
  #peer: Peer | undefined;
  #values: Map<string, unknown> | undefined;
  #subscriptions: Set<string> | undefined;
  #elicitations: Set<string> | undefined;
  #running: Slots<Running> | undefined;

  constructor(handshake: Handshake, id?: string) {
    this.handshake = handshake;
    this.id = id;
  }

  get values(): Map<string, unknown> {
    this.#values ??= new Map();
    return this.#values;
  }

  /** The requests that this side has sent to the client. */
  get peer(): Peer {
    this.#peer ??= new Peer();
    return this.#peer;
  }

  get isBusy(): boolean {
    return (this.#running?.size ?? 0) > 0 || (this.#peer?.waiting ?? 0) > 0;
  }

  /** Whether forgetting this object would lose something that the session's id does not carry. */
  get hasState(): boolean {
    return (
      this.isBusy ||
      this.logLevel !== undefined ||
      (this.#values?.size ?? 0) > 0 ||
      (this.#subscriptions?.size ?? 0) > 0 ||
      (this.#elicitations?.size ?? 0) > 0
    );
  }

  /** Takes part in a request until its end, `finish` with what is returned. */
  start(call: Running): number {
    this.#running ??= new Slots();
    return this.#running.add(call);
  }

  finish(slot: number): void {
    this.#running?.remove(slot);
  }

  /** Cancels the requests with an id. There should be one, but nobody is hurt if a client uses an id twice. */
  cancel(id: RequestId, reason: unknown): void {
    const why = typeof reason === 'string' ? reason : 'the client cancelled the request';
    for (const call of this.#running ?? []) {
      if (call.id === id) call.cancellation.abort(new Cancelled(why));
    }
  }

  /** Takes what is no message, and ends the question that it was to answer. Returns the error to send back. */
  refuse(malformed: Malformed): string {
    const wasAwaited = this.#peer?.refuse(malformed);
    // The id of a question is none that the client has given.
    return errorText(wasAwaited ? undefined : malformed.id, malformed.error);
  }

  /** Adds a subscription. Throws `-32602` if the client holds too many already. */
  subscribe(uri: string): void {
    this.#subscriptions ??= new Set();
    if (this.#subscriptions.has(uri)) return;
    let size = uri.length;
    for (const other of this.#subscriptions) size += other.length;
    if (size > MAX_SUBSCRIBED) throw invalidParams('too many subscriptions; unsubscribe from some first');
    this.#subscriptions.add(uri);
  }

  /** Remembers that the client was sent to a page, to tell it when that is done. */
  sentToPage(elicitationId: string): void {
    this.#elicitations ??= new Set();
    this.#elicitations.add(elicitationId);
    if (this.#elicitations.size > MAX_ELICITATIONS) {
      this.#elicitations.delete(this.#elicitations.values().next().value as string);
    }
  }

  unsubscribe(uri: string): void {
    this.#subscriptions?.delete(uri);
  }

  /** The notice of a change, if this session is to hear of it. */
  notice(change: Change): string | undefined {
    if (change.kind === 'resource' && !this.#subscriptions?.has(change.uri)) return undefined;
    if (change.kind === 'elicitation' && !this.#elicitations?.delete(change.id)) return undefined;
    const { method, params } = changeNotification(change);
    return notificationText(method, params);
  }

  /** Ends what is under way: the connection, or the session, is over. */
  close(reason: Error): void {
    for (const { cancellation } of this.#running ?? []) cancellation.abort(reason);
    this.#peer?.close(reason);
  }
}
