import type { Client } from 'tenon/client';
import { roundRobin, startNginx } from '../services/nginx.js';
import { connectAs } from './clients.js';
import { Judge, type Takeover } from './judge.js';
import { Ledger } from './ledger.js';
import { Nodes } from './nodes.js';
import { Random } from './random.js';
import { Report } from './report.js';
import { checkRounds, makeRounds, type RoundClients } from './rounds.js';
import { type StoreName, startStore } from './stores.js';
import { checkFilm, makeFilm, type Outcome, repeatUpdates } from './tasks.js';

/** What is done, and how it is disturbed. */
export interface ChaosOptions {
  /** The folder with the programs of this run. */
  readonly programs: string;
  readonly store: StoreName;
  readonly engine: 'bullmq' | 'in-process';
  readonly rounds: number;
  readonly tasks: number;
  readonly killEveryMs: number;
  /** How often the store is restarted. */
  readonly restarts: number;
  /** How many calls of each kind are under way at the same time. */
  readonly concurrency: number;
  readonly leaseMs: number;
  readonly seed: number;
  /** After how long no more calls are begun, even if there are fewer than wanted. */
  readonly limitMs: number;
  /** Told about every ten seconds how far it is. */
  onProgress?(line: string): void;
}

export interface ChaosResult {
  readonly report: Report;
  /** The shortest first. */
  readonly takeovers: readonly Takeover[];
  readonly killedAt: ReadonlyMap<number, number>;
  /** From each kill of a node until another process served in its place. */
  readonly startMs: readonly number[];
  readonly durationMs: number;
  /** What the nodes reported, and how often. */
  readonly reports: ReadonlyMap<string, number>;
}

/** How many calls of a client are under way: it listens to four tasks, and polls the others. */
const CALLS_PER_CLIENT = 5;
const TTL_MS = 15 * 60_000;
/** How long the store is away, at least and at most. */
const AWAY_MS = [200, 3000] as const;
const PROGRESS_MS = 10_000;

/** Runs rounds and tasks on three nodes while these are killed and their store is restarted. Returns what happened. */
export async function runChaos(options: ChaosOptions): Promise<ChaosResult> {
  const random = new Random(options.seed);
  const cleanups: (() => unknown)[] = [];
  try {
    const store = await startStore(options.store);
    cleanups.push(() => store.service.stop());
    const ledger = await Ledger.open(random);
    cleanups.push(() => ledger.close());
    const nodes = await Nodes.start(options.programs, {
      STORE: store.url,
      ENGINE: options.engine,
      KEY: 'every node has this key, and it is long enough',
      LEDGER: `${ledger.port}`,
      LEASE_MS: `${options.leaseMs}`,
      TTL_MS: `${TTL_MS}`,
    });
    cleanups.push(() => nodes.close());
    const nginx = await startNginx(roundRobin(nodes.ports, { maxFails: 0 }));
    cleanups.push(() => nginx.stop());
    return await new Chaos(options, random, store, ledger, nodes).run(nginx.url);
  } finally {
    for (const cleanup of cleanups.reverse()) await cleanup();
  }
}

class Chaos {
  readonly #options: ChaosOptions;
  readonly #random: Random;
  readonly #store: Awaited<ReturnType<typeof startStore>>;
  readonly #ledger: Ledger;
  readonly #nodes: Nodes;
  readonly #report = new Report();
  readonly #storeAway: { from: number; to: number }[] = [];
  readonly #startedAt = Date.now();
  readonly #over = new AbortController();
  readonly #outcomes: Outcome[] = [];
  readonly #refused = new Set<string>();
  #tasksDone = 0;
  #roundsDone = 0;
  /** Those that wait until more is done. */
  #waiting: (() => void)[] = [];

  constructor(
    options: ChaosOptions,
    random: Random,
    store: Awaited<ReturnType<typeof startStore>>,
    ledger: Ledger,
    nodes: Nodes,
  ) {
    this.#options = options;
    this.#random = random;
    this.#store = store;
    this.#ledger = ledger;
    this.#nodes = nodes;
  }

  async run(url: string): Promise<ChaosResult> {
    this.#report.onProblem = text => this.#options.onProgress?.(`PROBLEM: ${text}`);
    const producers = await this.#connectProducers(url);
    const guests = await this.#connectGuests(url);
    const disturbances = [this.#killNodes(), this.#restartStore(), this.#tellProgress()];
    try {
      await Promise.all([this.#makeTasks(producers), this.#makeRounds(guests)]);
    } finally {
      this.#over.abort();
      this.#progressed();
      await Promise.all(disturbances);
      const clients = [...producers, guests.front, ...guests.nodes];
      await Promise.all(clients.map(client => client.close()));
    }
    const events = {
      killedAt: this.#nodes.killedAt,
      storeAway: this.#storeAway,
      leaseMs: this.#options.leaseMs,
    };
    const judge = new Judge(events, this.#report);
    for (const outcome of this.#outcomes) judge.checkResult(outcome, this.#ledger.account(outcome.order));
    for (const [order, account] of this.#ledger.accounts) judge.checkOrder(order, account);
    for (const order of this.#refused) judge.checkRefused(order, this.#ledger.accounts.get(order));
    this.#report.count('nodes killed', this.#nodes.killedAt.size);
    this.#report.count('rounds: calls', this.#roundsDone);
    this.#report.count('tasks', this.#tasksDone);
    if (this.#nodes.ended > 0) this.#report.problem(`nodes ended by themselves ${this.#nodes.ended} times`);
    return {
      report: this.#report,
      takeovers: judge.takeovers.sort((one, other) => one.ms - other.ms),
      killedAt: this.#nodes.killedAt,
      startMs: this.#nodes.startMs.sort((one, other) => one - other),
      durationMs: Date.now() - this.#startedAt,
      reports: this.#nodes.reports,
    };
  }

  #connectProducers(url: string): Promise<Client[]> {
    const count = Math.ceil(this.#options.concurrency / CALLS_PER_CLIENT);
    const repeat = repeatUpdates(this.#random, this.#report);
    return Promise.all(Array.from({ length: count }, (_, at) => connectAs(`producer ${at}`, url, [repeat])));
  }

  async #connectGuests(url: string): Promise<RoundClients> {
    const front = await connectAs('guest', url);
    const nodes = this.#nodes.ports.map(port => connectAs('guest', `http://127.0.0.1:${port}`));
    return { front, nodes: await Promise.all(nodes) };
  }

  async #makeTasks(producers: readonly Client[]): Promise<void> {
    const { tasks, concurrency } = this.#options;
    await inParallel(this.#untilLate(tasks), concurrency, async number => {
      const outcome = await makeFilm(
        number,
        producers[number % producers.length] as Client,
        this.#refused,
        this.#report,
      );
      if (outcome) {
        checkFilm(outcome, this.#report);
        this.#outcomes.push(outcome);
        this.#report.count('tasks: completed');
      }
      this.#tasksDone++;
      this.#progressed();
    });
  }

  async #makeRounds(guests: RoundClients): Promise<void> {
    const { rounds, tasks, concurrency } = this.#options;
    await inParallel(this.#untilLate(rounds), concurrency, async number => {
      // They keep step with the tasks, which take longer, so that both meet every disturbance.
      while (this.#roundsDone / rounds > this.#tasksDone / tasks && !this.#isLate) await this.#progress();
      const outcome = await makeRounds(number, guests, this.#random, this.#report);
      if (outcome) {
        checkRounds(outcome, this.#report);
        this.#outcomes.push(outcome);
        this.#report.count('rounds: calls with a result');
      }
      this.#roundsDone++;
    });
  }

  async #killNodes(): Promise<void> {
    for (;;) {
      await this.#sleep(this.#options.killEveryMs);
      if (this.#over.signal.aborted) return;
      if (!this.#nodes.killOne(this.#random)) this.#report.count('kills left out, because one node was up');
    }
  }

  /** The restarts are spread over the run. */
  async #restartStore(): Promise<void> {
    const { restarts } = this.#options;
    const { service, endings } = this.#store;
    for (let restart = 1; restart <= restarts; restart++) {
      const due = restart / (restarts + 1);
      while (this.#shareDone < due && !this.#over.signal.aborted) await this.#progress();
      if (this.#over.signal.aborted) return;
      const ending = endings[restart % endings.length] as NodeJS.Signals;
      const away = { from: Date.now(), to: Number.POSITIVE_INFINITY };
      this.#storeAway.push(away);
      await service.kill(ending);
      const [least, most] = AWAY_MS;
      await this.#sleep(least + this.#random.below(most - least));
      await service.restart();
      away.to = Date.now();
      this.#report.count(`store restarted after ${ending}`);
    }
  }

  async #tellProgress(): Promise<void> {
    const { onProgress, tasks, rounds } = this.#options;
    while (!this.#over.signal.aborted) {
      await this.#sleep(PROGRESS_MS);
      const seconds = Math.round((Date.now() - this.#startedAt) / 1000);
      const done = `${this.#tasksDone} of ${tasks} tasks, ${this.#roundsDone} of ${rounds} calls of rounds`;
      const disturbed = `${this.#nodes.killedAt.size} kills, ${this.#storeAway.length} restarts`;
      onProgress?.(`${seconds} s: ${done}, ${disturbed}, ${this.#report.problems.length} problems`);
    }
  }

  /** How much of the run is over, from 0 to 1. */
  get #shareDone(): number {
    const { tasks, limitMs } = this.#options;
    return Math.max(this.#tasksDone / tasks, (Date.now() - this.#startedAt) / limitMs);
  }

  get #isLate(): boolean {
    return Date.now() - this.#startedAt > this.#options.limitMs;
  }

  /** The numbers of calls, as long as there is time to begin one. */
  *#untilLate(count: number): Generator<number> {
    for (let number = 0; number < count && !this.#isLate; number++) yield number;
  }

  /** Resolves when more is done. */
  #progress(): Promise<void> {
    return new Promise(resolve => this.#waiting.push(resolve));
  }

  #progressed(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Resolves after a time, or when the run is over. */
  #sleep(ms: number): Promise<void> {
    const { signal } = this.#over;
    return new Promise(resolve => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal.addEventListener('abort', end);
      if (signal.aborted) end();
    });
  }
}

/** Works on all numbers, so many at the same time. */
async function inParallel(
  numbers: Generator<number>,
  concurrency: number,
  work: (number: number) => Promise<void>,
): Promise<void> {
  const workOn = async () => {
    for (const number of numbers) await work(number);
  };
  await Promise.all(Array.from({ length: concurrency }, workOn));
}
