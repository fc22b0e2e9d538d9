import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import {
  type SpawnedTransport,
  type SpawnOptions,
  spawnTransport,
} from '../../src/node/client/process/spawn.js';

/** The command that runs a fixture of this folder. */
export function fixture(name: string, ...args: string[]): SpawnOptions {
  return { command: process.execPath, args: [fixturePath(name), ...args] };
}

export function fixturePath(name: string): string {
  return fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));
}

/** The command of a shell script. */
export function shell(script: string): SpawnOptions {
  return { command: 'sh', args: ['-c', script] };
}

/** A transport with all that came over it. */
export class Opened {
  readonly transport: SpawnedTransport;
  readonly messages: any[] = [];
  readonly problems: string[] = [];
  /** How it was closed, each time. */
  readonly closings: (Error | undefined)[] = [];
  #wake = () => {};

  constructor(command: SpawnOptions) {
    this.transport = spawnTransport({
      onProblem: problem => {
        this.problems.push(problem.message);
        this.#wake();
      },
      ...command,
    });
  }

  /** Starts a command; what it started ends with the test. */
  static async start(command: SpawnOptions): Promise<Opened> {
    const opened = new Opened(command);
    onTestFinished(() => opened.transport.close());
    await opened.start();
    return opened;
  }

  start(): Promise<void> {
    return this.transport.start(
      text => {
        this.messages.push(JSON.parse(text));
        this.#wake();
      },
      reason => {
        this.closings.push(reason);
        this.#wake();
      },
    );
  }

  /** The next message, or the one with this number. */
  async message(number = 0): Promise<any> {
    await this.until(() => this.messages.length > number);
    return this.messages[number];
  }

  /** Why it was closed. */
  async reason(): Promise<Error | undefined> {
    await this.until(() => this.closings.length > 0);
    return this.closings[0];
  }

  /** Waits until something is true; looks again whenever anything has arrived. */
  async until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) {
      await new Promise<void>(resolve => {
        this.#wake = resolve;
      });
    }
  }
}
