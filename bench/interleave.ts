import type { Job, Measurement } from './load.js';
import type { LoadGenerator, RunningServer } from './processes.js';
import type { Era, Scenario } from './scenarios.js';

/** One of the servers that are compared, and the requests that it gets. */
export interface Contender {
  server: RunningServer;
  era: Era;
  scenario: Scenario;
  sessions: number;
}

const connections = 64;

/**
 * Measures the contenders in turn, round after round, and starts each round with another one, so that other work of the
 * machine disturbs all of them equally. The result has one list of rounds per contender.
 */
export async function interleave(
  load: LoadGenerator,
  contenders: Contender[],
  rounds: number,
  seconds: number,
): Promise<Measurement[][]> {
  const measured: Measurement[][] = contenders.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < contenders.length; turn++) {
      const index = (round + turn) % contenders.length;
      measured[index]!.push(await measureOnce(load, contenders[index]!, seconds));
    }
  }
  return measured;
}

/** Warms up every contender, so that its code is compiled before the comparison. */
export async function warmUp(load: LoadGenerator, contenders: Contender[], seconds: number): Promise<void> {
  for (const contender of contenders) await measureOnce(load, contender, seconds);
}

async function measureOnce(load: LoadGenerator, contender: Contender, seconds: number): Promise<Measurement> {
  const { server, era, scenario, sessions } = contender;
  const { target, url, token, pid, toolCount } = server;
  const job: Job = { url, token, pid, toolCount, era, scenario, sessions, seconds, connections };
  try {
    return await load.measure(job);
  } catch (error) {
    throw new Error(`${target} failed at ${scenario} on ${era}: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
