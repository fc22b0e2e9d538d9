import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { memoryOf, startFixture } from './stdio-child.js';

/** A server in a process of its own, so that its memory can be watched. */
export class HttpChild {
  /** One for each node. */
  readonly ports: readonly number[];
  readonly #process: ChildProcess;
  errors = '';

  private constructor(process: ChildProcess, ports: readonly number[]) {
    this.#process = process;
    this.ports = ports;
    process.stderr!.setEncoding('utf8').on('data', text => {
      this.errors += text;
    });
  }

  static async start(script = 'http-server.ts', env: Record<string, string> = {}): Promise<HttpChild> {
    const child = startFixture(script, env);
    const lines = createInterface({ input: child.stdout! });
    const ports = await new Promise<number[]>((resolve, reject) => {
      lines.once('line', line => resolve(line.split(',').map(Number)));
      child.once('exit', code => reject(new Error(`the fixture exited with ${code}`)));
    });
    return new HttpChild(child, ports);
  }

  get port(): number {
    return this.ports[0] as number;
  }

  /** The most memory that the process ever held, in bytes. */
  get peak(): number {
    return memoryOf(this.#process.pid!).peak;
  }

  kill(): void {
    this.#process.kill('SIGKILL');
  }
}
