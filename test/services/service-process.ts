import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Program } from './programs.js';

/** How long a service may take to start. */
const START_MS = 90_000;

/** A service on loopback, with a folder of its own. Its port stays the same for as long as it exists. */
export interface ServiceControl {
  readonly port: number;
  /** Ends it at once, as a crash does, or as it ends with another signal. */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Stops it from running, while its connections stay open. */
  pause(): void;
  resume(): void;
  /** Starts it again with the data that it has. */
  restart(): Promise<void>;
  /** Starts it again without the data that it had. */
  restartEmpty(): Promise<void>;
  /** Ends it, and removes its folder. */
  stop(): Promise<void>;
}

/** How a service is run. */
export interface ServiceSetup {
  program: Program;
  /** The arguments for a folder and a port. */
  args(folder: string, port: number): string[];
  /** Makes the data that a service needs to start. */
  prepare?(folder: string, port: number): Promise<void>;
  /** Resolves when the service answers. */
  answers(port: number): Promise<boolean>;
  /** The user that runs it, if that is another one. */
  user?: { uid: number; gid: number } | undefined;
}

/** Starts a service on a free port. */
export async function startService(setup: ServiceSetup): Promise<ServiceControl> {
  const service = new ServiceProcess(setup, await freePort());
  await service.restartEmpty();
  return service;
}

/** The services that run, which must not outlive the tests. */
const RUNNING = new Set<ServiceProcess>();
process.once('exit', () => {
  for (const service of RUNNING) service.end();
});

class ServiceProcess implements ServiceControl {
  readonly #setup: ServiceSetup;
  readonly port: number;
  #folder: string | undefined;
  #child: ChildProcess | undefined;
  #printed = '';

  constructor(setup: ServiceSetup, port: number) {
    this.#setup = setup;
    this.port = port;
  }

  async restart(): Promise<void> {
    await this.kill();
    const { program, args, user } = this.#setup;
    const folder = this.#folder as string;
    const child = spawn(program.file, args(folder, this.port), {
      argv0: program.argv0 ?? program.file,
      cwd: folder,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...user,
    });
    this.#child = child;
    this.#printed = '';
    RUNNING.add(this);
    for (const output of [child.stdout, child.stderr])
      output.setEncoding('utf8').on('data', text => {
        this.#printed = (this.#printed + text).slice(-10_000);
      });
    const deadline = Date.now() + START_MS;
    while (!(await this.#setup.answers(this.port))) {
      const isLate = Date.now() > deadline;
      if (isLate || child.exitCode !== null || child.signalCode !== null)
        throw new Error(
          `${program.file} ${isLate ? 'does not start' : 'ended at its start'}:\n${this.#printed}`,
        );
      await new Promise(resolve => setTimeout(resolve, 20));
    }
  }

  async restartEmpty(): Promise<void> {
    await this.stop();
    const folder = mkdtempSync(join(tmpdir(), 'tenon-service-'));
    const { user, prepare } = this.#setup;
    if (user) chownSync(folder, user.uid, user.gid);
    this.#folder = folder;
    await prepare?.(folder, this.port);
    await this.restart();
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (!child) return;
    this.#child = undefined;
    RUNNING.delete(this);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    const started = signal === 'SIGKILL' ? signalTree(child, signal) : childrenOf(child.pid as number);
    if (signal !== 'SIGKILL') child.kill(signal);
    await ended;
    // A Postgres whose memory is still in use by one of them does not start.
    while (started.some(isRunning)) await new Promise(resolve => setTimeout(resolve, 5));
  }

  /** Ends it without waiting for that. */
  end(): void {
    this.#signalAll('SIGKILL');
  }

  pause(): void {
    this.#signalAll('SIGSTOP');
  }

  resume(): void {
    this.#signalAll('SIGCONT');
  }

  async stop(): Promise<void> {
    await this.kill();
    if (this.#folder) rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10 });
  }

  #signalAll(signal: NodeJS.Signals): void {
    if (this.#child) signalTree(this.#child, signal);
  }
}

/** Signals a process and those that it has started, and returns the latter: Postgres has one for each connection. */
function signalTree(child: ChildProcess, signal: NodeJS.Signals): number[] {
  // Stopped first, so that it starts no more of them.
  child.kill('SIGSTOP');
  const started = childrenOf(child.pid as number);
  for (const each of started) {
    try {
      process.kill(each, signal);
    } catch {
      // It has ended by itself.
    }
  }
  child.kill(signal);
  return started;
}

/** A process that has ended, but whose end nobody has asked for, is not running. */
function isRunning(pid: number): boolean {
  if (process.platform === 'linux') return (statOf(pid)?.state ?? 'Z') !== 'Z';
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function childrenOf(parent: number): number[] {
  if (process.platform !== 'linux') {
    const { stdout } = spawnSync('pgrep', ['-P', `${parent}`], { encoding: 'utf8' });
    return stdout.split('\n').filter(Boolean).map(Number);
  }
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(pid => statOf(pid)?.parent === parent);
}

/** What Linux says of a process, if there is one. */
function statOf(pid: number): { state: string; parent: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // After the name, which is in parentheses, come the state and the parent.
    const [state = '', parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { state, parent: Number(parent) };
  } catch {
    return undefined;
  }
}

/** A free port outside of the range from which systems take ports for connections, so that it is free for a restart too. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    const server = createServer();
    const free = await new Promise<boolean>(resolve => {
      server.once('error', () => resolve(false));
      server.listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!free) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
