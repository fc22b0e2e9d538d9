import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { CallToolResult } from 'tenon';
import { ConnectionError } from 'tenon/client';
import { type CallEvents, WAYS, type Way } from './call.mjs';
import { environmentOf, PROGRAM, type ProgramOptions } from './program.js';

/** What a process tells when it is ready. */
interface Ready {
  readonly isDoomed: boolean;
  readonly ports: { readonly http: number; readonly fetch: number };
}

/** What a client in a process tells of its call. */
interface Told {
  readonly title: string;
  readonly asked?: string;
  readonly save?: unknown;
  readonly result?: CallToolResult;
  readonly error?: string;
}

/** Starts two processes of the studio. The first of the pair never ends its work. */
export async function startPair(options: ProgramOptions): Promise<[StudioProcess, StudioProcess]> {
  const [one, other] = await Promise.all([StudioProcess.start(options), StudioProcess.start(options)]);
  return one.ready.isDoomed ? [one, other] : [other, one];
}

export class StudioProcess {
  readonly ready: Ready;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, ready: Ready) {
    this.#child = child;
    this.ready = ready;
    child.setMaxListeners(0);
  }

  static async start(options: ProgramOptions): Promise<StudioProcess> {
    const child = fork(PROGRAM, { env: { ...process.env, ...environmentOf(options) }, execArgv: [] });
    const [ready] = await once(child, 'message');
    return new StudioProcess(child, ready);
  }

  get isGone(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** Calls the tool with a client in the process. The call ends with the process. */
  call(way: Way, title: string, events: CallEvents, saved?: unknown): Promise<CallToolResult> {
    return new Promise((resolve, reject) => {
      const lost = () => reject(new ConnectionError('the process of the client is gone'));
      this.#child.once('exit', lost);
      this.#child.on('message', (told: Told) => {
        if (told.title !== title) return;
        if (told.asked) events.asked(told.asked);
        if (told.save) events.save(told.save);
        if (told.result) resolve(told.result);
        if (told.error) reject(new Error(told.error));
      });
      this.#child.send({ way: WAYS.indexOf(way), title, saved }, error => error && lost());
    });
  }

  async stop(): Promise<void> {
    if (this.isGone) return;
    const exited = once(this.#child, 'exit');
    this.#child.disconnect();
    await exited;
  }
}
