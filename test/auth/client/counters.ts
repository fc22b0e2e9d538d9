import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { startFixture } from './run-fixture.js';

/** A process that counts up in a file. */
export class Counter {
  readonly child: ChildProcess;
  /** How often it has counted. */
  counted = 0;
  readonly #waiting = new Set<() => void>();
  readonly #ended: Promise<unknown>;

  constructor(path: string, times = Number.MAX_SAFE_INTEGER) {
    this.child = startFixture('counter.ts', [path, `${times}`]);
    this.#ended = once(this.child, 'close');
    this.child.stdout!.on('data', (dots: Buffer) => {
      this.counted += dots.length;
      for (const check of this.#waiting) check();
    });
  }

  /** Resolves once it has counted so many times more. */
  async more(times: number): Promise<void> {
    const goal = this.counted + times;
    await new Promise<void>((resolve, reject) => {
      const check = () => {
        if (this.counted < goal) return;
        this.#waiting.delete(check);
        resolve();
      };
      this.#waiting.add(check);
      this.#ended.then(() => reject(new Error(`a counter ended after ${this.counted} of ${goal}`)));
    });
  }

  /** Ends it: with what it does finished, or at once. Without a signal it is waited for. */
  async end(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    if (signal) this.child.kill(signal);
    await this.#ended;
  }
}
