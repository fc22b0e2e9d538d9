import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Awaitable } from '../../../base/settle.js';
import { ConnectionError } from '../../../protocol/failures.js';
import { endTree } from './kill-tree.js';
import { lastWords } from './last-words.js';
import type { Launched } from './launch.js';
import { MessageReader } from './message-reader.js';
import type { ProcessTree } from './process-tree/tree.js';
import type { Tail } from './tail.js';
import { withTimeLimit } from './waiting.js';

interface Listeners {
  receive(text: string): Awaitable<void>;
  closed(reason?: Error): void;
  onProblem(problem: Error): void;
  onStderr: ((text: string) => void) | undefined;
}

/** How long the pipes of an exited process are read; a process that it left behind may hold them open. */
const DRAIN_MS = 250;
/** The limit as long as there is still something to read. */
const MAX_DRAIN_MS = 10_000;

/** A server that runs as a child process, until it exits or is closed. */
export class ServerProcess {
  /** Whether it has written anything, to either output. */
  hasWritten = false;
  /** Whether it has sent a message. */
  hasSpoken = false;
  readonly #child: ChildProcess;
  readonly #stdin: Writable;
  readonly #stdout: Readable;
  readonly #reader: MessageReader;
  readonly #errors: Tail;
  readonly #tree: ProcessTree;
  readonly #graceMs: number;
  readonly #over: Promise<void>;
  /** Pending while reading is paused, because messages are being processed. */
  #taking: Promise<void> | undefined;
  #isClosing = false;
  #askToClose!: () => void;

  constructor({ child, tree }: Launched, errors: Tail, graceMs: number, listeners: Listeners) {
    this.#child = child;
    this.#stdin = child.stdin as Writable;
    this.#stdout = child.stdout as Readable;
    const receive = (text: string) => {
      this.hasSpoken = true;
      return listeners.receive(text);
    };
    this.#reader = new MessageReader(receive, listeners.onProblem);
    this.#errors = errors;
    this.#tree = tree;
    this.#graceMs = graceMs;
    // `send` reports a write to a server that has exited; the stream's own error needs no handling.
    this.#stdin.on('error', () => {});
    this.#stdout.on('error', () => {});
    this.#stdout.on('data', (chunk: Buffer) => this.#take(chunk));
    child.stderr?.on('error', () => {});
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.hasWritten = true;
      errors.add(text);
      listeners.onStderr?.(text);
    });
    this.#over = this.#run(listeners.closed);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get #hasExited(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  send(text: string): Promise<void> {
    const sent = new Promise<void>((resolve, reject) => {
      const fail = (reason: string, cause?: Error) =>
        reject(new ConnectionError(`cannot send to the server: ${reason}`, cause && { cause }));
      if (/[\r\n]/.test(text)) return fail('a message must be one line');
      if (this.#isClosing) return fail('the transport is closed');
      if (!this.#stdin.writable) return fail(GONE);
      this.#stdin.write(`${text}\n`, error => (error ? fail(GONE, error) : resolve()));
    });
    // A caller that does not await `send` must not crash with an unhandled rejection when the server exits.
    sent.catch(() => {});
    return sent;
  }

  close(): Promise<void> {
    this.#isClosing = true;
    this.#askToClose();
    return this.#over;
  }

  async #run(closed: (reason?: Error) => void): Promise<void> {
    const exited = new Promise<string>(resolve => {
      this.#child.once('exit', (code, signal) =>
        resolve(signal ? `was killed by ${signal}` : `exited with code ${code}`),
      );
    });
    const drained = new Promise<void>(resolve => this.#child.once('close', () => resolve()));
    // A server that has closed its output can send nothing more.
    const finished = new Promise<void>(resolve => this.#stdout.once('close', resolve));
    const asked = new Promise<void>(resolve => {
      this.#askToClose = resolve;
    });
    await Promise.race([exited, finished, asked]);
    const wasAsked = this.#isClosing;

    if (!this.#hasExited) this.#tree.look();
    this.#stdin.end();
    const exit = await withTimeLimit(exited, this.#graceMs);
    const gone = endTree(this.#tree, this.#graceMs);
    await Promise.race([exited, gone]);
    await withTimeLimit(drained, DRAIN_MS);
    if (!wasAsked) await withTimeLimit(this.#drain(drained), MAX_DRAIN_MS);
    this.#release();
    if (wasAsked) closed();
    else {
      this.#reader.end();
      closed(new ConnectionError(this.#describe(exit ?? 'closed its output, but did not exit')));
    }
    await gone;
  }

  /** Passes on a chunk, and pauses reading while it is processed. */
  #take(chunk: Buffer): void {
    this.hasWritten = true;
    const pending = this.#reader.push(chunk);
    if (!(pending instanceof Promise)) return;
    this.#stdout.pause();
    this.#taking = pending.then(() => {
      this.#taking = undefined;
      this.#stdout.resume();
    });
  }

  /** Waits until the server's remaining output is processed, which may be more than one read. */
  async #drain(drained: Promise<void>): Promise<void> {
    while (this.#taking && !this.#isClosing) {
      await this.#taking;
      await withTimeLimit(drained, DRAIN_MS);
    }
  }

  /** Closes the pipes, which another process may still hold, and unreferences a process that cannot be killed. */
  #release(): void {
    this.#stdin.destroy();
    this.#stdout.destroy();
    this.#child.stderr?.destroy();
    this.#child.unref();
  }

  #describe(end: string): string {
    const excerpt = lastWords(this.#errors.text);
    return `the server process ${end}${excerpt && `; the end of its stderr:\n${excerpt}`}`;
  }
}

const GONE = 'its process has exited, or has closed its input';
