import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Bistro } from '../interop/bistro.js';
import { program } from '../programs/program.js';
import { type NginxService, startNginx } from '../services/nginx.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const NODES = 3;

/** Three processes, each with a node of every server, and before each server an nginx that gives requests out in turn. */
export interface ProxiedNodes {
  readonly bistros: readonly Bistro[];
  /** The URL of the till, through nginx. */
  readonly till: string;
  /** What was paid at the till. */
  payments(): string[];
  stop(): Promise<void>;
}

/** Starts the processes of the fixture on a store. */
export async function startProxiedNodes(store: string, bistros: number): Promise<ProxiedNodes> {
  const folder = mkdtempSync(join(tmpdir(), 'tenon-nodes-'));
  const env = { STORE: store, KEY: 'k'.repeat(32), FOLDER: folder, BISTROS: `${bistros}` };
  const processes = Array.from({ length: NODES }, () => startProcess(env));
  const proxies: NginxService[] = [];
  const stop = async () => {
    await Promise.all([...processes.map(end), ...proxies.map(proxy => proxy.stop())]);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const ports = await Promise.all(processes.map(readPorts));
    for (let at = 0; at <= bistros; at++)
      proxies.push(await startNginx(nginxConfiguration(ports.map(own => own[at] as number))));
  } catch (failure) {
    await stop();
    throw failure;
  }
  const urls = proxies.map(({ url }) => new URL('/mcp', url));
  return {
    bistros: urls.slice(0, bistros).map(url => ({ url, sseUrl: url, close: async () => {} })),
    till: String(urls[bistros]),
    payments: () => readFileSync(join(folder, 'payments'), 'utf8').trim().split('\n'),
    stop,
  };
}

/** The configuration of docs/deploy.md, with the ports of this run. */
export function nginxConfiguration(nodes: readonly number[]): (port: number) => string {
  const page = readFileSync(join(ROOT, 'docs/deploy.md'), 'utf8');
  const [, example] = /^### Three nodes behind nginx$.*?^```nginx\n(.*?)^```$/ms.exec(page) ?? [];
  if (!example) throw new Error('docs/deploy.md shows no configuration under "Three nodes behind nginx"');
  return port =>
    example
      .replace(/10\.0\.0\.(\d):3000/g, (_, node) => `127.0.0.1:${nodes[node - 1]}`)
      .replace(/listen 80;/, `listen 127.0.0.1:${port};`);
}

function startProcess(env: Record<string, string>): ChildProcess {
  const args = [program('test/cluster/fixtures/bistro-node.ts')];
  return spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
}

/** The ports of its servers, which a process prints when all of them listen. */
async function readPorts(child: ChildProcess): Promise<number[]> {
  for await (const line of createInterface({ input: child.stdout! })) return JSON.parse(line);
  throw new Error('a node ended at its start');
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}
