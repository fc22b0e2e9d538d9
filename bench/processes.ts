import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Done, Order } from './clients/listeners.js';
import type { Job, Measurement, Outcome } from './load.js';
import type { Changed, Usage } from './servers/node-of-streams.js';

export const targets = ['bare', 'official', 'official-tuned', 'tenon', 'tenon-protected'] as const;
export type Target = (typeof targets)[number];

/** A server in a process of its own. */
export interface Listening {
  url: string;
  token: string | undefined;
  pid: number;
  stop(): void;
}

export interface RunningServer extends Listening {
  target: Target;
  toolCount: number;
}

export interface LoadGenerator {
  measure(job: Job): Promise<Measurement>;
  stop(): void;
}

const serverCore = 0;
const loadCore = 1;

/** Whether servers and load generator can be kept on cores of their own. */
export const pinned = availableParallelism() > 1 && spawnSync('taskset', ['-c', '0', 'true']).status === 0;

/** Whether the files in `dist` that the target serves have been built. */
export function isBuilt(target: Target): boolean {
  return (
    !target.startsWith('tenon') ||
    ['server/index.js', 'node/index.js'].every(file => existsSync(path(`../dist/${file}`)))
  );
}

export async function startServer(target: Target, toolCount: number): Promise<RunningServer> {
  return { target, toolCount, ...(await startListener(target, String(toolCount))) };
}

/** Starts one of the files in `servers`. */
export async function startListener(name: string, ...args: string[]): Promise<Listening> {
  const child = start(serverCore, `servers/${name}.ts`, ...args);
  const { url, token } = await reply<{ url: string; token?: string }>(child, `the ${name} server`);
  return { url, token, pid: child.pid!, stop: () => child.kill() };
}

export function startLoad(): LoadGenerator {
  const child = start(loadCore, 'load.ts');
  return {
    async measure(job) {
      child.send(job);
      const outcome = await reply<Outcome>(child, 'the load generator');
      if ('fault' in outcome) throw new Error(outcome.fault);
      return outcome.measurement;
    },
    stop: () => child.kill(),
  };
}

/** A client in a process of its own, which makes calls for the given number of seconds. */
export function startClient(name: string): {
  run(url: string, seconds: number): Promise<number>;
  stop(): void;
} {
  const child = start(loadCore, `clients/${name}.ts`);
  return {
    async run(url, seconds) {
      child.send({ url, seconds });
      const { callsPerSecond } = await reply<{ callsPerSecond: number }>(child, `the ${name} client`);
      return callsPerSecond;
    },
    stop: () => child.kill(),
  };
}

/** A node with streams, in a process of its own. */
export interface StreamNode extends Listening {
  ask(question: { change: Changed }): Promise<{ changedAt: number }>;
  ask(question: 'usage' | 'memory'): Promise<Usage>;
}

export async function startStreamNode(name: string, redisUrl: string): Promise<StreamNode> {
  const child = start(serverCore, `servers/${name}.ts`, redisUrl);
  const { url } = await reply<{ url: string }>(child, `the ${name} server`);
  const ask = (question: unknown): Promise<any> => {
    child.send(question as object);
    return reply(child, `the ${name} server`);
  };
  return { url, token: undefined, pid: child.pid!, ask, stop: () => child.kill() };
}

/** Many listening clients in a process of their own. */
export interface Listeners {
  ask(order: Order): Promise<{ last: number; median: number }>;
  stop(): void;
}

export function startListeners(): Listeners {
  const child = start(loadCore, 'clients/listeners.ts');
  return {
    async ask(order) {
      child.send(order);
      const done = await reply<Done>(child, 'the listening clients');
      if ('fault' in done) throw new Error(done.fault);
      return done.arrivals;
    },
    stop: () => child.kill(),
  };
}

function start(core: number, file: string, ...args: string[]): ChildProcess {
  const node = [process.execPath, '--import', 'tsx', path(file), ...args];
  const [command, ...rest] = pinned ? ['taskset', '-c', String(core), ...node] : node;
  return spawn(command!, rest, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
}

async function reply<T>(child: ChildProcess, name: string): Promise<T> {
  const done = new AbortController();
  const exit = once(child, 'exit', { signal: done.signal }).then(([code]) => {
    throw new Error(`${name} ended with exit code ${String(code)}`);
  });
  const message = once(child, 'message', { signal: done.signal }).then(([value]) => value as T);
  try {
    return await Promise.race([message, exit]);
  } finally {
    for (const loser of [message, exit]) loser.catch(() => {});
    done.abort();
  }
}

function path(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}
