import { expect, onTestFinished, test } from 'vitest';
import type { SpawnOptions } from '../../src/node/client/process/spawn.js';
import { expectNoneWith, marked } from './marked.js';
import { fixture, Opened, shell } from './opened.js';

// `npm run test:long` starts 1000.
const STARTS = Number(process.env.RANDOM_KILLS ?? 100);
const AT_ONCE = 16;

/**
 * Servers with processes of their own; a few of them in Node, because that takes longer to start. None goes on forever,
 * so that they end by themselves if the tests are killed.
 */
const SERVERS: readonly SpawnOptions[] = [
  ...Array<SpawnOptions>(4).fill(shell('sleep 300 & cat')),
  ...Array<SpawnOptions>(4).fill(shell(`sh -c 'sleep 300 & sleep 300 & wait' & cat`)),
  ...Array<SpawnOptions>(4).fill(shell('for n in $(seq 1000); do sleep 300 & sleep 0.02; done; cat')),
  ...Array<SpawnOptions>(4).fill(shell(`(trap '' TERM HUP; for n in 1 2 3; do sleep 300; done) & cat`)),
  ...Array<SpawnOptions>(2).fill(shell(`trap '' TERM; for n in 1 2 3; do sleep 300; done`)),
  fixture('family.mjs', JSON.stringify({ children: [{}] })),
];
/** Who leaves the session can be found only as long as its parent lives, so these are let start. */
const LEAVING = shell(`setsid sleep 300 & setsid -w true; echo '{"ready":true}'; cat`);

test(`of ${STARTS} servers that are killed at random moments no process is left`, {
  timeout: 600_000,
}, async ({ signal }) => {
  const random = generator(20_260_728);
  const { command: mark, mark: all } = marked({ command: '' });
  let left = STARTS;
  const run = async () => {
    while (left-- > 0 && !signal.aborted) await killAtRandom(random, mark.env!);
  };
  const runs = Promise.all(Array.from({ length: AT_ONCE }, run));
  // Before what is left is killed, so that nothing is started after that.
  onTestFinished(() => {
    left = 0;
    return runs.then(
      () => {},
      () => {},
    );
  });
  await runs;
  await expectNoneWith(all);
});

/** Ends a server at a random moment: closes it, or kills it like something from outside that knows of no tree. */
async function killAtRandom(random: () => number, env: NonNullable<SpawnOptions['env']>): Promise<void> {
  const isLeaving = random() < 0.05;
  const isKilled = !isLeaving && random() < 0.5;
  const isStarted = isLeaving || isKilled || random() < 0.8;
  const command = isLeaving ? LEAVING : SERVERS[Math.floor(random() * SERVERS.length)]!;
  const opened = new Opened({ ...command, env, graceMs: 200 });
  const starting = opened.start();
  if (isStarted) await starting;
  if (isLeaving) await opened.message();
  if (isStarted) await new Promise(resolve => setTimeout(resolve, random() * 30));
  if (isKilled) process.kill(opened.transport.pid!, 'SIGKILL');
  else await opened.transport.close();
  const reason = await opened.reason();
  expect(reason?.message).toBe(isKilled ? 'the server process was killed by SIGKILL' : undefined);
}

/** Numbers from 0 to 1 that are the same in every run (mulberry32). */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
