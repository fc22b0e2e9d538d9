import type { Account, Entry } from './ledger.js';
import type { Report } from './report.js';
import type { Outcome } from './tasks.js';

/** What happened to the nodes and the store, for the explanation of what was done twice. */
export interface Events {
  /** When each process was killed, by its number. */
  readonly killedAt: ReadonlyMap<number, number>;
  /** When the store was away. */
  readonly storeAway: readonly { from: number; to: number }[];
  readonly leaseMs: number;
}

/** How long it took until work went on after its node was killed. */
export interface Takeover {
  readonly order: string;
  readonly ms: number;
  readonly account: Account;
}

/** Compares what the clients were told with what was done. */
export class Judge {
  readonly #events: Events;
  readonly #report: Report;
  readonly takeovers: Takeover[] = [];

  constructor(events: Events, report: Report) {
    this.#events = events;
    this.#report = report;
  }

  /** Every value in a result is that of an entry in the ledger. */
  checkResult({ order, result }: Outcome, account: Account): void {
    for (const [step, value] of Object.entries(result.steps as Record<string, number>)) {
      const entry = account.entries.find(one => one.step === step && one.value === value);
      if (!entry) this.#report.problem(`${order} has a value of the step ${step} that is not in the ledger`);
    }
  }

  /** What is done for an order, by whatever kind of call. */
  checkOrder(order: string, account: Account): void {
    this.#checkAttempts(order, account);
    for (const step of new Set(account.entries.map(entry => entry.step))) {
      const entries = account.entries.filter(entry => entry.step === step);
      this.#report.count('ledger: entries', entries.length);
      if (entries.length > 1) this.#explain(`the step ${step} of ${order}`, order, entries, account);
    }
    this.#measureTakeovers(order, account);
  }

  /** A busy server has done nothing. */
  checkRefused(order: string, account: Account | undefined): void {
    if (account) this.#report.problem(`${order} was refused by a busy server, but was begun`);
  }

  /** A step is in the ledger at most once per attempt, without an exception. */
  #checkAttempts(order: string, { entries }: Account): void {
    const seen = new Set<string>();
    for (const { step, attempt } of entries) {
      const key = `${step} ${attempt}`;
      if (seen.has(key)) this.#report.problem(`the step ${step} of ${order} ran twice in one attempt`);
      seen.add(key);
    }
  }

  /** Why each entry but the last was not enough. */
  #explain(what: string, order: string, entries: readonly Entry[], account: Account): void {
    if (order.startsWith('pay')) return this.#report.problem(`${order} was paid ${entries.length} times`);
    for (const [at, entry] of entries.slice(0, -1).entries()) {
      const reason = this.#reasonFor(order, entry, entries[at + 1] as Entry, account);
      if (reason) this.#report.count(`ledger: steps that ran again, because ${reason}`);
      else {
        const attempts = JSON.stringify([...account.attempts]);
        this.#report.problem(`${what} ran again without a reason: ${JSON.stringify(entries)} ${attempts}`);
      }
    }
  }

  #reasonFor(order: string, entry: Entry, next: Entry, { attempts }: Account): string | undefined {
    const { killedAt, storeAway, leaseMs } = this.#events;
    const isRound = order.startsWith('hand');
    // In a round the result is safe when the client has it, in a task when the handler goes on.
    if (entry.isKept && !isRound) return undefined;
    // Every node is killed at some time: only a kill before the second run explains it.
    if ((killedAt.get(entry.node) ?? Number.POSITIVE_INFINITY) <= next.at)
      return 'the node was killed before the result was safe';
    if (isRound) return undefined;
    if (storeAway.some(({ from, to }) => from <= next.at && to >= entry.at))
      return 'the store was away before the result was safe';
    const attempt = attempts.get(entry.attempt);
    const nextAttempt = attempts.get(next.attempt);
    if (attempt?.stopped?.includes('lease could not be renewed'))
      return 'the lease could not be renewed in time';
    // A node that got no processor time for so long hears of it only when it goes on.
    const canBeOver = attempt && nextAttempt && nextAttempt.beganAt - attempt.beganAt >= leaseMs;
    return canBeOver && attempt.stopped?.includes('belongs to another node')
      ? 'the lease had run out, and another node had the task'
      : undefined;
  }

  /** From the kill of a node to the next attempt, for runs that had not ended. */
  #measureTakeovers(order: string, account: Account): void {
    const { attempts } = account;
    const all = [...attempts.values()];
    for (const { node, beganAt, hasEnded } of all) {
      const killedAt = this.#events.killedAt.get(node);
      if (hasEnded || killedAt === undefined || beganAt > killedAt) continue;
      const later = all.map(other => other.beganAt).filter(at => at > killedAt);
      if (later.length > 0) this.takeovers.push({ order, ms: Math.min(...later) - killedAt, account });
    }
  }
}
