import type { ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { memoryOf, startFixture } from './stdio-child.js';

/** A server in a process of its own, so that its memory can be watched. */
export class HttpChild {
  readonly port: number;
  readonly #process: ChildProcess;
  errors = '';

  private constructor(process: ChildProcess, port: number) {
    this.#process = process;
    this.port = port;
    process.stderr!.setEncoding('utf8').on('data', text => {
      this.errors += text;
    });
  }

  static async start(script = 'http-server.ts', env: Record<string, string> = {}): Promise<HttpChild> {
    const child = startFixture(script, env);
    const lines = createInterface({ input: child.stdout! });
    const port = await new Promise<number>((resolve, reject) => {
      lines.once('line', line => resolve(Number(line)));
      child.once('exit', code => reject(new Error(`the fixture exited with ${code}`)));
    });
    return new HttpChild(child, port);
  }

  /** The most memory that the process ever held, in bytes. */
  get peak(): number {
    return memoryOf(this.#process.pid!).peak;
  }

  kill(): void {
    this.#process.kill('SIGKILL');
  }
}
