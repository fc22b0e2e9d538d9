import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePort } from '../services/service-process.js';
import type { Random } from './random.js';

const SCRIPT = fileURLToPath(new URL('node.mjs', import.meta.url));
const NODES = 3;

/** Processes that serve the same tools on ports of their own. One that is killed is started again at once. */
export class Nodes {
  readonly ports: readonly number[];
  /** When each process was killed, by its number: every start has a new one. */
  readonly killedAt = new Map<number, number>();
  /** How often a node ended by itself, which none may. */
  ended = 0;
  /** What the nodes reported, and how often. */
  readonly reports = new Map<string, number>();
  readonly #env: NodeJS.ProcessEnv;
  readonly #running: (Running | undefined)[] = [];
  #lastNumber = 0;
  #isClosed = false;

  private constructor(ports: readonly number[], env: NodeJS.ProcessEnv) {
    this.ports = ports;
    this.#env = env;
  }

  static async start(env: NodeJS.ProcessEnv): Promise<Nodes> {
    const ports = await Promise.all(Array.from({ length: NODES }, freePort));
    const nodes = new Nodes(ports, env);
    await Promise.all(ports.map((_, at) => nodes.#start(at)));
    return nodes;
  }

  /** Kills a random node that is up, if another one is up, too. Returns whether it did. */
  killOne(random: Random): boolean {
    const up = this.#running.filter(node => node?.isReady);
    if (up.length < 2) return false;
    const { child, number } = random.pick(up) as Running;
    this.killedAt.set(number, Date.now());
    child.kill('SIGKILL');
    return true;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(
      this.#running.map(async node => {
        if (!node || node.child.exitCode !== null || node.child.signalCode !== null) return;
        node.child.kill('SIGKILL');
        await once(node.child, 'exit');
      }),
    );
  }

  /** Starts a node. Resolves when it listens. */
  async #start(at: number): Promise<void> {
    const number = ++this.#lastNumber;
    const child = spawn(process.execPath, [SCRIPT], {
      env: { ...process.env, ...this.#env, PORT: `${this.ports[at]}`, NODE: `${number}` },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    });
    const running = { child, number, isReady: false };
    this.#running[at] = running;
    createInterface({ input: child.stdout as NonNullable<typeof child.stdout> }).on('line', line =>
      this.reports.set(line, (this.reports.get(line) ?? 0) + 1),
    );
    child.once('exit', () => {
      running.isReady = false;
      if (this.#isClosed) return;
      if (!this.killedAt.has(number)) this.ended++;
      void this.#start(at);
    });
    await once(child, 'message');
    running.isReady = true;
  }
}

interface Running {
  readonly child: ChildProcess;
  readonly number: number;
  isReady: boolean;
}
