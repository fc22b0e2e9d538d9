import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Command } from 'tenon/client';
import type { JsonObject } from 'tenon/protocol';
import { isObject } from '../../is-object.js';
import { type Answer, parseJson, readAnswer } from '../answer.js';
import { environmentOf } from './environment.js';

/** How much of standard error, and how many lines of noise, are kept. */
const MAX_STDERR = 16 * 1024;
const MAX_NOISE = 20;
const MAX_LINE = 8 * 1024 * 1024;
/** How long the program may take to end when its input ends, and again when it is told to. */
const GRACE_MS = 1500;

/** What a program did with one request. */
export interface Reply {
  readonly answer?: Answer | undefined;
  readonly ms: number;
  /** Why there is no answer. */
  readonly failure?: 'timed out' | 'ended' | undefined;
}

/** A program that was started once, and what it wrote. */
export class Run {
  /** Lines on standard output that are no messages. */
  readonly noise: string[] = [];
  /** The last part of standard error. */
  stderr = '';
  /** How the program ended, such as "exited with code 1"; undefined while it runs. */
  end: string | undefined;
  /** Why the program could not be started. */
  startError: NodeJS.ErrnoException | undefined;
  /** Milliseconds until the first message. */
  firstMessageMs: number | undefined;
  /** Whether it ended when its input ended. */
  leftByItself: boolean | undefined;

  readonly #child: ChildProcessWithoutNullStreams;
  readonly #closed: Promise<void>;
  readonly #start = performance.now();
  #rest = '';
  #messages: unknown[] = [];
  #look: (() => void) | undefined;

  constructor({ command, args = [], env, cwd, onStderr }: Command) {
    this.#child = spawn(command, args, {
      env: environmentOf(env),
      windowsHide: true,
      // The leader of its own group, so that it can be ended with what it has started.
      detached: process.platform !== 'win32',
      ...(cwd !== undefined && { cwd }),
    });
    this.#child.stdin.on('error', () => {});
    this.#child.stdout.setEncoding('utf8').on('data', (text: string) => this.#take(text));
    this.#child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.stderr = (this.stderr + text).slice(-MAX_STDERR);
      onStderr?.(text);
    });
    this.#closed = new Promise(resolve => {
      const finish = (end: string) => {
        this.end ??= end;
        this.#look?.();
        resolve();
      };
      this.#child.on('error', error => {
        this.startError = error;
        finish('could not be started');
      });
      // Not `exit`: what the program wrote last is read by then.
      this.#child.on('close', (code, signal) =>
        finish(signal ? `was killed by ${signal}` : `exited with code ${code}`),
      );
    });
  }

  /** Sends a request, and waits for its answer. Rejects only if the signal aborts. */
  ask(message: JsonObject, limitMs: number, signal: AbortSignal): Promise<Reply> {
    const start = performance.now();
    this.tell(message);
    return new Promise((resolve, reject) => {
      const finish = (failure?: Reply['failure'], answer?: Answer) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        this.#look = undefined;
        resolve({ answer, failure, ms: performance.now() - start });
      };
      const abort = () => {
        reject(signal.reason);
        finish('ended');
      };
      const timer = setTimeout(() => finish('timed out'), limitMs);
      this.#look = () => {
        for (const one of this.#messages.splice(0)) {
          const answer = readAnswer(one, message.id as number);
          if (answer) return finish(undefined, answer);
        }
        if (this.end) finish('ended');
      };
      signal.addEventListener('abort', abort);
      if (signal.aborted) abort();
      else this.#look();
    });
  }

  tell(message: JsonObject): void {
    if (this.#child.stdin.writable) this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  /** Ends the program: by the end of its input, then by signals. */
  async close(): Promise<void> {
    if (this.end === undefined) {
      this.#child.stdin.end();
      this.leftByItself = await this.#endsWithin(GRACE_MS);
    }
    if (!this.leftByItself && !(await this.#endsAfter('SIGTERM'))) await this.#endsAfter('SIGKILL');
  }

  #endsAfter(signal: NodeJS.Signals): Promise<boolean> {
    this.kill(signal);
    return this.#endsWithin(GRACE_MS);
  }

  /** Sends a signal to the program and to what it has started. */
  kill(signal: NodeJS.Signals): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      if (process.platform === 'win32') this.#child.kill(signal);
      else process.kill(-pid, signal);
    } catch {
      // It has ended already.
    }
  }

  async #endsWithin(ms: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>(resolve => {
      timer = setTimeout(() => resolve(false), ms);
    });
    const isOver = await Promise.race([this.#closed.then(() => true), late]);
    clearTimeout(timer);
    return isOver;
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split('\n');
    this.#rest = (lines.pop() as string).slice(-MAX_LINE);
    for (const line of lines) this.#read(line);
    this.#look?.();
  }

  #read(line: string): void {
    const message = parseJson(line);
    const isMessage = isObject(message) && ('method' in message || 'result' in message || 'error' in message);
    if (isMessage) {
      this.firstMessageMs ??= performance.now() - this.#start;
      this.#messages.push(message);
    } else if (line.trim() !== '' && this.noise.length < MAX_NOISE) this.noise.push(line.slice(0, 500));
  }
}
