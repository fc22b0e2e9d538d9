import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CostlyInput, costlyInputs } from './costly-inputs.js';
import { openSession } from './messages.js';
import { RawConnection, requestBytes } from './raw-http.js';

/** The largest value in a body of 4 MiB. */
const BYTES = 4_100_000;
/** Every so many of all inputs are tried. `COSTLY_INPUTS=1` tries all of them, in some minutes. */
const EVERY = Number(process.env.COSTLY_INPUTS ?? 37);
/**
 * How much processor time an input may cost beyond the bare server's, which parses the same bytes: 20 ms. A busy
 * machine makes everything more expensive, so the everyday run only finds inputs that cost far more.
 */
const MAX_MS = EVERY === 1 ? 20 : 60;
/** The garbage collector and other processes add to single runs, so the best of some runs counts. */
const MAX_TRIES = 8;

interface Ports {
  port: number;
  barePort: number;
}

let child: ChildProcess;
let ports: Ports;
let session: string;

beforeAll(async () => {
  const path = fileURLToPath(new URL('./fixtures/costs-server.ts', import.meta.url));
  child = fork(path, [], { execArgv: ['--expose-gc', '--import', 'tsx'], stdio: 'ignore' });
  [ports] = (await once(child, 'message')) as [Ports];
  session = await openSession(ports.port, { capabilities: { elicitation: {} } });
});

afterAll(() => void child.kill('SIGKILL'));

it('no input costs much more than parsing it', async () => {
  const expensive: string[] = [];
  let number = 0;
  for (const input of costlyInputs(BYTES, session)) {
    if (number++ % EVERY !== 0) continue;
    const cost = await extraCost(input);
    if (cost > MAX_MS) expensive.push(`${cost.toFixed(0)} ms: ${input.name}`);
  }
  expect(number).toBeGreaterThan(500);
  expect(expensive).toEqual([]);
}, 3_600_000);

/** The processor time in milliseconds that an input takes beyond the bare server's. */
async function extraCost({ headers, body }: CostlyInput): Promise<number> {
  const request = requestBytes({ headers, body: body() });
  let [bare, ours] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let tries = 0; tries < MAX_TRIES && ours - bare > MAX_MS === tries > 0; tries++) {
    bare = Math.min(bare, await cost(ports.barePort, request));
    ours = Math.min(ours, await cost(ports.port, request));
  }
  return ours - bare;
}

async function cost(port: number, request: Buffer): Promise<number> {
  const before = await processorTime();
  const connection = await RawConnection.open(port);
  connection.send(request);
  await connection.head();
  connection.destroy();
  await connection.closed;
  return (await processorTime()) - before;
}

/** What the server has used so far, in milliseconds. */
async function processorTime(): Promise<number> {
  child.send('cpu');
  const [{ user, system }] = (await once(child, 'message')) as [NodeJS.CpuUsage];
  return (user + system) / 1000;
}
