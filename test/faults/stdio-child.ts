import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { program } from '../programs/program.js';
import { ENVELOPE, type Id, INITIALIZE } from './messages.js';

/** A fixture of this folder as a child process. */
export function startFixture(script: string, env: Record<string, string> = {}): ChildProcess {
  const path = fileURLToPath(new URL(`./fixtures/${script}`, import.meta.url));
  return spawn(process.execPath, [program(path)], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/** The memory of a process in bytes: what it holds now, and the most that it ever held. */
export function memoryOf(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const read = (field: string) =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) * 1024;
  return { now: read('VmRSS'), peak: read('VmHWM') };
}

/** A server on standard input and output, as its client sees it. Everything that is not a message is an error. */
export class StdioChild {
  readonly process: ChildProcess;
  readonly pid: number;
  /** All messages so far. */
  readonly messages: any[] = [];
  errors = '';
  /** The code that the process exits with, or the signal that ended it. */
  readonly exit: Promise<number | string>;
  #line = '';
  #isOver = false;
  #wake = () => {};

  constructor(env: Record<string, string> = {}, script = 'stdio-server.ts') {
    this.process = startFixture(script, env);
    this.pid = this.process.pid!;
    this.exit = once(this.process, 'exit').then(([code, signal]) => code ?? signal);
    this.process.stdin!.on('error', () => {});
    this.process.stderr!.setEncoding('utf8').on('data', text => {
      this.errors += text;
      this.#wake();
    });
    this.process.stdout!.setEncoding('utf8').on('data', text => this.#read(text));
    this.process.on('close', () => {
      this.#isOver = true;
      this.#wake();
    });
  }

  /** A child that ends with the test. */
  static forTest(env: Record<string, string> = {}, script?: string): StdioChild {
    const child = new StdioChild(env, script);
    onTestFinished(() => child.kill());
    return child;
  }

  kill(): void {
    this.process.kill('SIGKILL');
  }

  write(bytes: string | Uint8Array): void {
    this.process.stdin!.write(bytes);
  }

  /** Writes and waits until the pipe has taken it. */
  async deliver(bytes: string | Uint8Array): Promise<void> {
    if (!this.process.stdin!.write(bytes)) await once(this.process.stdin!, 'drain');
  }

  send(message: object): void {
    this.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  /** Sends a request of the modern era. */
  ask(id: Id, method: string, params: object = {}, meta: object = {}): void {
    this.send({ id, method, params: { ...params, _meta: { ...ENVELOPE, ...meta } } });
  }

  call(id: Id, name: string, args: object = {}, meta: object = {}): void {
    this.ask(id, 'tools/call', { name, arguments: args }, meta);
  }

  /** Opens a session of the legacy era. */
  async initialize(protocolVersion: string = INITIALIZE.protocolVersion): Promise<void> {
    this.send({ id: 'initialize', method: 'initialize', params: { ...INITIALIZE, protocolVersion } });
    await this.answer('initialize');
    this.send({ method: 'notifications/initialized' });
  }

  /** The first message that fits, now or later. */
  async find(fits: (message: any) => boolean): Promise<any> {
    await this.until(() => this.messages.some(fits));
    return this.messages.find(fits);
  }

  async answer(id: Id): Promise<any> {
    return this.find(message => message.id === id && message.method === undefined);
  }

  async textOf(id: Id): Promise<string> {
    return (await this.answer(id)).result.content[0].text;
  }

  /** Waits until something is true; looks again whenever anything has arrived. */
  async until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) {
      if (this.#isOver) throw new Error(`the server is gone\n${this.errors}`);
      await new Promise<void>(resolve => {
        this.#wake = resolve;
      });
    }
  }

  #read(text: string): void {
    const lines = (this.#line + text).split('\n');
    this.#line = lines.pop()!;
    for (const line of lines) this.messages.push(JSON.parse(line));
    this.#wake();
  }
}
