/** `npm run test:chaos`: rounds and tasks on three nodes that are killed, on stores that are restarted. */
import { rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { type ChaosResult, runChaos } from './chaos.js';
import type { StoreName } from './stores.js';
import { tellTakeover } from './timeline.js';

const { env } = process;
const programs = dirname(process.argv[1] as string);
const stores = (env.CHAOS_STORES ?? 'redis,postgres').split(',') as StoreName[];
const seed = Number(env.CHAOS_SEED ?? Date.now() % 1_000_000);
const settings = {
  engine: (env.CHAOS_ENGINE ?? 'bullmq') as 'bullmq' | 'in-process',
  rounds: Number(env.CHAOS_ROUNDS ?? 20_000),
  tasks: Number(env.CHAOS_TASKS ?? 20_000),
  killEveryMs: Number(env.CHAOS_KILL_MS ?? 2000),
  restarts: Number(env.CHAOS_RESTARTS ?? 5),
  concurrency: Number(env.CHAOS_CONCURRENCY ?? 80),
  leaseMs: Number(env.CHAOS_LEASE_MS ?? 5000),
  limitMs: Number(env.CHAOS_MINUTES ?? Number.POSITIVE_INFINITY) * 60_000,
  seed,
};

process.once('exit', () => rmSync(programs, { recursive: true, force: true }));
// The services that were started end with the process, and only with one that exits by itself.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
for (const store of stores) {
  console.log(`chaos on ${store}, ${availableParallelism()} cores: ${JSON.stringify(settings)}`);
  const result = await runChaos({ ...settings, programs, store, onProgress: line => console.log(line) });
  print(result);
  if (result.report.problems.length > 0) process.exitCode = 1;
}

function print({ report, takeovers, killedAt, startMs, durationMs, reports }: ChaosResult): void {
  console.log(report.lines().join('\n'));
  console.log(`takeovers: ${spread(takeovers.map(({ ms }) => ms))}`);
  console.log(`nodes that served again after a kill: ${spread(startMs)}`);
  console.log(`duration: ${Math.round(durationMs / 1000)} s`);
  console.log('\nslowest takeovers:');
  for (const takeover of takeovers.slice(-10)) console.log(tellTakeover(takeover, killedAt));
  console.log('\nreported by nodes:');
  for (const [text, count] of [...reports].sort((one, other) => other[1] - one[1]).slice(0, 200))
    console.log(`${count} x ${text.slice(0, 200)}`);
  console.log(`\nproblems: ${report.problems.length}`);
  for (const problem of report.problems.slice(0, 50)) console.log(`- ${problem}`);
}

function spread(sortedMs: readonly number[]): string {
  const at = (share: number) => sortedMs[Math.floor(sortedMs.length * share)];
  return `${sortedMs.length}; median ${at(0.5)} ms, 95 % ${at(0.95)} ms, longest ${sortedMs.at(-1)} ms`;
}
