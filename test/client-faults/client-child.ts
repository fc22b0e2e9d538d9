import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { program } from '../programs/program.js';
import type { Order, Report } from './fixtures/client.js';

/** A client in a process of its own. */
export class ClientChild {
  readonly #process: ChildProcess;
  readonly #died: Promise<never>;

  private constructor(process: ChildProcess) {
    this.#process = process;
    this.#died = once(process, 'exit').then(([code, signal]) => {
      throw new Error(`the client died: ${code ?? signal}`);
    });
    this.#died.catch(() => {});
  }

  /** Starts a client that may have so many megabytes of objects. */
  static async start(megabytes = 150): Promise<ClientChild> {
    const child = new ClientChild(
      fork(program('test/client-faults/fixtures/client.ts'), {
        cwd: fileURLToPath(new URL('../..', import.meta.url)),
        execArgv: [`--max-old-space-size=${megabytes}`],
      }),
    );
    await child.#message();
    return child;
  }

  /** Connects, takes the steps one after the other, and closes. */
  async run(
    target: Order['target'],
    steps: Order['steps'],
    options: Order['options'] & { useFetch?: boolean } = {},
  ): Promise<Report> {
    const { useFetch = false, ...rest } = options;
    this.#process.send({ target, options: rest, steps, useFetch } satisfies Order);
    return (await this.#message()) as Report;
  }

  kill(): void {
    this.#process.kill('SIGKILL');
  }

  #message(): Promise<unknown> {
    return Promise.race([new Promise(resolve => this.#process.once('message', resolve)), this.#died]);
  }
}
