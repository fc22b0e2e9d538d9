import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { freePort } from '../services/service-process.js';
import { nodeArgs } from './programs.js';
import type { Random } from './random.js';

const NODES = 3;
/** How many processes are loaded already, so that one can serve at once where another one was killed. */
const SPARES = 2;

/** Processes that serve the same tools on ports of their own. Where one is killed, a new one serves at once. */
export class Nodes {
  readonly ports: readonly number[];
  /** When each process was killed, by its number: every start has a new one. */
  readonly killedAt = new Map<number, number>();
  /** How often a node ended by itself, which none may. */
  ended = 0;
  /** What the nodes reported, and how often. */
  readonly reports = new Map<string, number>();
  /** From each kill until a new process served there. */
  readonly startMs: number[] = [];
  readonly #programs: string;
  readonly #env: NodeJS.ProcessEnv;
  readonly #spares: Promise<ChildProcess>[] = [];
  readonly #processes = new Set<ChildProcess>();
  readonly #serving: (Serving | undefined)[] = [];
  #lastNumber = 0;
  #isClosed = false;

  private constructor(ports: readonly number[], programs: string, env: NodeJS.ProcessEnv) {
    this.ports = ports;
    this.#programs = programs;
    this.#env = env;
  }

  /** `programs` is the folder of the run. */
  static async start(programs: string, env: NodeJS.ProcessEnv): Promise<Nodes> {
    const ports = await Promise.all(Array.from({ length: NODES }, freePort));
    const nodes = new Nodes(ports, programs, env);
    for (let spare = 1; spare <= SPARES; spare++) nodes.#spares.push(nodes.#load());
    await Promise.all(ports.map((_, at) => nodes.#serve(at)));
    return nodes;
  }

  /** Kills a random node that is up, if another one is up, too. Returns whether it did. */
  killOne(random: Random): boolean {
    const up = this.#serving.filter(node => node?.isReady);
    if (up.length < 2) return false;
    const { child, number } = random.pick(up) as Serving;
    this.killedAt.set(number, Date.now());
    child.kill('SIGKILL');
    return true;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const ended = [...this.#processes].map(child => once(child, 'exit'));
    for (const child of this.#processes) child.kill('SIGKILL');
    await Promise.all(ended);
  }

  /** Has a loaded process serve on a port. Resolves when it does. */
  async #serve(at: number): Promise<void> {
    const spare = this.#spares.shift();
    this.#spares.push(this.#load());
    const child = (await spare) as ChildProcess;
    if (this.#isClosed) return;
    const number = ++this.#lastNumber;
    const serving = { child, number, isReady: false };
    this.#serving[at] = serving;
    child.once('exit', () => {
      serving.isReady = false;
      if (this.#isClosed) return;
      const killedAt = this.killedAt.get(number);
      if (killedAt === undefined) this.ended++;
      void this.#serve(at).then(() => {
        if (killedAt !== undefined) this.startMs.push(Date.now() - killedAt);
      });
    });
    child.send({ port: this.ports[at], number });
    await once(child, 'message');
    serving.isReady = true;
  }

  /** Starts a process. Resolves when it can serve. */
  async #load(): Promise<ChildProcess> {
    const child = spawn(process.execPath, nodeArgs(this.#programs), {
      env: { ...process.env, ...this.#env },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    this.#processes.add(child);
    let isLoaded = false;
    child.once('exit', () => {
      this.#processes.delete(child);
      if (!isLoaded && !this.#isClosed) this.ended++;
    });
    createInterface({ input: child.stdout as NonNullable<typeof child.stdout> }).on('line', line =>
      this.reports.set(line, (this.reports.get(line) ?? 0) + 1),
    );
    await once(child, 'message');
    isLoaded = true;
    return child;
  }
}

interface Serving {
  readonly child: ChildProcess;
  readonly number: number;
  isReady: boolean;
}
