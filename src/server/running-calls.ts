import { Cancellation } from '../base/cancellation.js';
import { Cancelled } from '../base/errors.js';
import type { JsonObject } from '../base/json.js';
import { Slots } from '../base/slots.js';
import type { RequestId } from '../jsonrpc/message.js';
import type { AnswerText, Deliver } from './answer.js';

/**
 * The calls of one door that have no answer yet. Each is in the list of its client, so that equal ids of different
 * clients never meet; the door knows the lists that are not empty, so that it can wait for all calls or abort them.
 */
export class RunningCalls {
  readonly #busy = new Slots<ClientCalls>();
  readonly #door: Door = {
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

  /** A list for the calls of one client: of a session, or of a connection. */
  createList(): ClientCalls {
    return new ClientCalls(this.#door);
  }

  /** Waits for all calls to end. Those that have not ended after `graceMs` are aborted, with `lastWords` as answer. */
  async drain(graceMs: number, reason: Error, lastWords?: (id: RequestId) => AnswerText): Promise<void> {
    const timer = setTimeout(() => {
      for (const calls of [...this.#busy]) calls.abort(reason, lastWords);
    }, graceMs);
    await new Promise<void>(resolve => {
      this.#whenIdle = resolve;
      if (this.#busy.size === 0) resolve();
    });
    clearTimeout(timer);
    // The last answers are still being handed over in this turn of the event loop.
    await new Promise(resolve => setTimeout(resolve));
  }
}

interface Door {
  enter(calls: ClientCalls): number;
  leave(slot: number): void;
}

/** The running calls of one client. */
export class ClientCalls implements Iterable<RunningCall> {
  readonly #door: Door;
  /** Made for the first call: many sessions never have one. */
  #running: Slots<RunningCall> | undefined;
  #slot = 0;

  constructor(door: Door) {
    this.#door = door;
  }

  get count(): number {
    return this.#running?.size ?? 0;
  }

  /** Registers a call until its answer is delivered. */
  start(id: RequestId, method: string, deliver: Deliver): RunningCall {
    this.#running ??= new Slots();
    if (this.#running.size === 0) this.#slot = this.#door.enter(this);
    const call = new RunningCall(this, id, method, deliver);
    call.slot = this.#running.add(call);
    return call;
  }

  /** Called by a call that has ended. */
  remove(call: RunningCall): void {
    this.#running?.remove(call.slot);
    if (this.count === 0) this.#door.leave(this.#slot);
  }

  /**
   * Takes `notifications/cancelled`: cancels the calls with the id that it names. There should be one, but nobody is
   * hurt if a client uses an id twice.
   */
  cancel({ requestId, reason }: JsonObject): void {
    const why = typeof reason === 'string' ? reason : 'the client cancelled the request';
    for (const call of this) if (call.id === requestId) call.abort(new Cancelled(why));
  }

  /** Aborts all calls. */
  abort(reason: Error, lastWords?: (id: RequestId) => AnswerText): void {
    for (const call of this) call.abort(reason, lastWords?.(call.id));
  }

  *[Symbol.iterator](): Iterator<RunningCall> {
    if (this.#running) yield* this.#running;
  }
}

/** A request from its arrival to its answer, which is delivered exactly once. */
export class RunningCall {
  readonly id: RequestId;
  readonly method: string;
  readonly cancellation = new Cancellation();
  /** Where the list of the client keeps it. */
  slot = 0;
  readonly #calls: ClientCalls;
  #deliver: Deliver | undefined;

  constructor(calls: ClientCalls, id: RequestId, method: string, deliver: Deliver) {
    this.id = id;
    this.method = method;
    this.#calls = calls;
    this.#deliver = deliver;
  }

  /** Whether its answer was delivered, or is decided. */
  get isOver(): boolean {
    return this.#deliver === undefined;
  }

  /** Delivers the answer, unless that was done. */
  finish(answer: AnswerText | undefined): void {
    const deliver = this.#deliver;
    this.#deliver = undefined;
    if (deliver) this.#end(deliver, answer);
  }

  /** Nobody wants the answer any more: nothing, or `lastWords`, is delivered at once, even if the work never ends. */
  abort(reason: Error, lastWords?: AnswerText): void {
    this.cancellation.abort(reason);
    this.finish(lastWords);
  }

  /**
   * From now on only the returned function delivers the answer, whatever the work or the client says. Undefined if the
   * call is over.
   */
  takeOver(): Deliver | undefined {
    const deliver = this.#deliver;
    this.#deliver = undefined;
    return deliver && (answer => this.#end(deliver, answer));
  }

  #end(deliver: Deliver, answer: AnswerText | undefined): void {
    this.#calls.remove(this);
    deliver(answer);
  }
}
