import { Cancellation } from '../base/cancellation.js';
import { Cancelled } from '../base/errors.js';
import type { JsonObject } from '../base/json.js';
import { Slots } from '../base/slots.js';
import type { Request, RequestId } from '../jsonrpc/message.js';
import type { AnswerText, Deliver } from './answer.js';
import { Charge, releaseWith } from './charge.js';
import type { Account, NoRoom } from './ledger.js';

/**
 * The calls of one transport that have no response yet. Each is in the list of its client, so that equal ids of
 * different clients do not collide. The lists that are not empty are known here, so that shutdown can wait for all
 * calls, or abort them.
 */
export class RunningCalls {
  readonly #busy = new Slots<ClientCalls>();
  readonly #busyLists: BusyLists = {
    enter: calls => this.#busy.add(calls),
    leave: slot => {
      this.#busy.remove(slot);
      if (this.#busy.size === 0) this.#whenIdle?.();
    },
  };
  #whenIdle: (() => void) | undefined;

  get count(): number {
    let count = 0;
    for (const calls of this.#busy) count += calls.count;
    return count;
  }

  /** Creates a list for the calls of one client: of a session, or of a connection. */
  createList(): ClientCalls {
    return new ClientCalls(this.#busyLists);
  }

  /** Waits for all calls to end. After `graceMs` it aborts the remaining ones and responds with `lastAnswer`. */
  async drain(graceMs: number, reason: Error, lastAnswer?: (id: RequestId) => AnswerText): Promise<void> {
    const timer = setTimeout(() => {
      for (const calls of [...this.#busy]) calls.abort(reason, lastAnswer);
    }, graceMs);
    await new Promise<void>(resolve => {
      this.#whenIdle = resolve;
      if (this.#busy.size === 0) resolve();
    });
    clearTimeout(timer);
    // The last responses are still being delivered in this turn of the event loop.
    await new Promise(resolve => setTimeout(resolve));
  }
}

interface BusyLists {
  enter(calls: ClientCalls): number;
  leave(slot: number): void;
}

/** The running calls of one client. */
export class ClientCalls implements Iterable<RunningCall> {
  readonly #busyLists: BusyLists;
  /** Created by the first call: many sessions never have one. */
  #running: Slots<RunningCall> | undefined;
  #slot = 0;

  constructor(busyLists: BusyLists) {
    this.#busyLists = busyLists;
  }

  get count(): number {
    return this.#running?.size ?? 0;
  }

  /** Registers a call until its response is delivered. `account` is charged for its parameters. */
  start(request: Pick<Request, 'id' | 'method' | 'weight'>, account: Account, deliver: Deliver): RunningCall {
    this.#running ??= new Slots();
    if (this.#running.size === 0) this.#slot = this.#busyLists.enter(this);
    const call = new RunningCall(this, request, account, deliver);
    call.slot = this.#running.add(call);
    return call;
  }

  /** Called by a call whose response was delivered. */
  remove(call: RunningCall): void {
    this.#running?.remove(call.slot);
    if (this.count === 0) this.#busyLists.leave(this.#slot);
  }

  /**
   * Handles `notifications/cancelled`: cancels the calls with this id. There should be only one, but a client that uses
   * an id twice does no harm.
   */
  cancel({ requestId, reason }: JsonObject): void {
    const why = typeof reason === 'string' ? reason : 'the client cancelled the request';
    for (const call of this) if (call.id === requestId) call.abort(new Cancelled(why));
  }

  abort(reason: Error, lastAnswer?: (id: RequestId) => AnswerText): void {
    for (const call of this) call.abort(reason, lastAnswer?.(call.id));
  }

  *[Symbol.iterator](): Iterator<RunningCall> {
    if (this.#running) yield* this.#running;
  }
}

/**
 * A request from its arrival to its response, which is delivered exactly once. Its memory is booked until its handler
 * has ended, which may be later: many handlers go on when their client has left.
 */
export class RunningCall {
  readonly id: RequestId;
  readonly method: string;
  readonly cancellation = new Cancellation();
  /** The account that holds its parameters and the answers to its questions, and their size. */
  readonly account: Account;
  bytes: number;
  /** Its slot in the list of its client. */
  slot = 0;
  readonly #calls: ClientCalls;
  #deliver: Deliver | undefined;
  /** Set if its response was delivered before its handler has ended. */
  #leftover: Charge | undefined;

  constructor(
    calls: ClientCalls,
    request: Pick<Request, 'id' | 'method' | 'weight'>,
    account: Account,
    deliver: Deliver,
  ) {
    this.id = request.id;
    this.method = request.method;
    this.bytes = request.weight;
    this.account = account;
    this.#calls = calls;
    this.#deliver = deliver;
    account.add(this.bytes);
  }

  /** Whether its response was delivered, or is decided. */
  get isOver(): boolean {
    return this.#deliver === undefined;
  }

  /** Books more bytes for the call. Returns the error if there is no memory for them. */
  grow(bytes: number): NoRoom | undefined {
    if (this.isOver) return undefined;
    const refusal = this.account.refusal(bytes);
    if (refusal) return refusal;
    this.bytes += bytes;
    this.account.add(bytes);
    return undefined;
  }

  /** Called when the handler has ended. Delivers the response, unless one was delivered before. */
  finish(answer: AnswerText | undefined): void {
    const deliver = this.#deliver;
    this.#deliver = undefined;
    if (deliver) this.#end(deliver, answer);
    else this.#leftover?.release();
  }

  /** Cancels the call. It ends at once, with `lastAnswer` or without a response, even if the handler never ends. */
  abort(reason: Error, lastAnswer?: AnswerText): void {
    const deliver = this.#deliver;
    this.#deliver = undefined;
    if (deliver) {
      this.#leftover = new Charge(this.account, this.bytes);
      releaseWith(this, this.#leftover);
    }
    this.cancellation.abort(reason);
    if (deliver) this.#answer(deliver, lastAnswer);
  }

  /** Cancels the call because memory is full. It is released at once, since more would be evicted otherwise. */
  evict(reason: Error, lastAnswer?: AnswerText): void {
    this.abort(reason, lastAnswer);
    this.#leftover?.release();
  }

  /**
   * From now on only the returned function delivers the response, whatever the handler or the client does. Undefined if
   * the call is over.
   */
  takeOver(): Deliver | undefined {
    const deliver = this.#deliver;
    this.#deliver = undefined;
    return deliver && (answer => this.#end(deliver, answer));
  }

  #end(deliver: Deliver, answer: AnswerText | undefined): void {
    this.account.remove(this.bytes);
    this.#answer(deliver, answer);
  }

  #answer(deliver: Deliver, answer: AnswerText | undefined): void {
    this.#calls.remove(this);
    deliver(answer);
  }
}
