import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Random } from './random.js';

/** One effect: a step that ran, or a payment. */
export interface Entry {
  readonly step: string;
  /** The run of the handler that made it. */
  readonly attempt: string;
  /** The process that made it. */
  readonly node: number;
  readonly at: number;
  readonly value: number;
  /** Whether the handler went on after it, so that its result must be safe. */
  isKept: boolean;
}

/** One run of a handler. */
export interface Attempt {
  readonly node: number;
  readonly beganAt: number;
  hasEnded: boolean;
  /** Why its signal was aborted. */
  stopped: string | undefined;
}

/** What was done for one order. */
export interface Account {
  readonly entries: Entry[];
  readonly attempts: Map<string, Attempt>;
}

type Line =
  | { kind: 'node'; node: number }
  | { kind: 'begin'; order: string; attempt: string }
  | { kind: 'end'; order: string; attempt: string }
  | { kind: 'stopped'; order: string; attempt: string; reason: string }
  | { kind: 'enter'; id: number; order: string; attempt: string; step: string }
  | { kind: 'kept'; order: string; value: number };

/** How long the answer to an entry takes at most: a node may be killed meanwhile. */
const ANSWER_MS = 30;

/** Writes down what the nodes do, outside of their processes. They connect over TCP, and send lines of JSON. */
export class Ledger {
  readonly accounts = new Map<string, Account>();
  readonly #random: Random;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #lastValue = 0;

  private constructor(random: Random) {
    this.#random = random;
    this.#server = createServer(socket => this.#serve(socket));
  }

  static async open(random: Random): Promise<Ledger> {
    const ledger = new Ledger(random);
    ledger.#server.listen(0, '127.0.0.1');
    await once(ledger.#server, 'listening');
    return ledger;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  account(order: string): Account {
    const known = this.accounts.get(order) ?? { entries: [], attempts: new Map() };
    this.accounts.set(order, known);
    return known;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    let node = -1;
    const lines = createInterface({ input: socket });
    lines.on('line', text => {
      const line = JSON.parse(text) as Line;
      if (line.kind === 'node') node = line.node;
      else this.#take(line, node, socket);
    });
    // A node that is killed resets its connection, and the reader of lines passes the error on.
    for (const source of [socket, lines]) source.on('error', () => {});
    socket.on('close', () => this.#sockets.delete(socket));
  }

  #take(line: Exclude<Line, { kind: 'node' }>, node: number, socket: Socket): void {
    const account = this.account(line.order);
    if (line.kind === 'kept') {
      for (const entry of account.entries) if (entry.value === line.value) entry.isKept = true;
      return;
    }
    if (line.kind === 'begin') {
      account.attempts.set(line.attempt, {
        node,
        beganAt: Date.now(),
        hasEnded: false,
        stopped: undefined,
      });
      return;
    }
    if (line.kind === 'enter') return this.#enter(line, account, node, socket);
    const attempt = account.attempts.get(line.attempt) as Attempt;
    if (line.kind === 'end') attempt.hasEnded = true;
    else attempt.stopped = line.reason;
  }

  #enter(
    { id, step, attempt }: Extract<Line, { kind: 'enter' }>,
    account: Account,
    node: number,
    socket: Socket,
  ): void {
    const value = ++this.#lastValue;
    account.entries.push({ step, attempt, node, at: Date.now(), value, isKept: false });
    setTimeout(() => socket.write(`${id} ${value}\n`), this.#random.below(ANSWER_MS));
  }
}
