import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CostlyInput, costlyInputs, type OpenRound } from './costly-inputs.js';
import { answerOf, EventStream, type Id, legacy, modern, openSession } from './messages.js';
import { exchange, RawConnection, requestBytes } from './raw-http.js';

/** The largest value in a body of 4 MiB. */
const BYTES = 4_100_000;
/** Every so many of all inputs are tried. `COSTLY_INPUTS=1` tries all of them, in half an hour. */
const EVERY = Number(process.env.COSTLY_INPUTS ?? 71);
/**
 * How much processor time an input may cost beyond the bare server's, which parses the same bytes: 20 ms. The everyday
 * run only finds inputs that cost far more.
 */
const MAX_MS = EVERY === 1 ? 20 : 60;
/** The garbage collector and other processes add to single runs, so the best of some runs counts. */
const MAX_TRIES = 12;
/** A busy machine makes everything more expensive, also this request to the bare server. */
const YARDSTICK = requestBytes({ body: JSON.stringify(Array.from({ length: 100_000 }, (_, at) => `${at}`)) });

interface Ports {
  port: number;
  barePort: number;
}

let child: ChildProcess;
let ports: Ports;
let session: string;
let rounds: OpenRound[];
let bestYardstick = Number.POSITIVE_INFINITY;

beforeAll(async () => {
  const path = fileURLToPath(new URL('./fixtures/costs-server.ts', import.meta.url));
  child = fork(path, [], { execArgv: ['--expose-gc', '--import', 'tsx'], stdio: 'ignore' });
  [ports] = (await once(child, 'message')) as [Ports];
  session = await openSession(ports.port, { capabilities: { elicitation: {} } });
  rounds = await Promise.all(['asks', 'remembers'].map(openRound));
  for (let tries = 0; tries < MAX_TRIES; tries++) await slowness();
});

afterAll(() => void child.kill('SIGKILL'));

it('no input costs much more than parsing it', async () => {
  const expensive: string[] = [];
  let number = 0;
  for (const input of costlyInputs(BYTES, session, rounds)) {
    if (number++ % EVERY !== 0) continue;
    const cost = await extraCost(input);
    if (cost > MAX_MS) expensive.push(`${cost.toFixed(0)} ms: ${input.name}`);
  }
  expect(number).toBeGreaterThan(500);
  expect(expensive).toEqual([]);
}, 3_600_000);

/** Calls a tool that asks, and leaves its question open. */
async function openRound(tool: string): Promise<OpenRound> {
  const meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
  const call = modern('tools/call', { name: tool, arguments: {} }, { meta });
  const { requestState, inputRequests } = answerOf(await exchange(ports.port, call)).result;
  return { tool, requestState, key: Object.keys(inputRequests)[0] as string };
}

/** The processor time in milliseconds that an input takes beyond the bare server's, on a machine that is not busy. */
async function extraCost(input: CostlyInput): Promise<number> {
  const request = bytesOf(input);
  const costHere = () => (input.isAnswer ? costOfAnswer(input) : cost(ports.port, request));
  let [bare, ours] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let tries = 0; tries < MAX_TRIES && ours - bare > MAX_MS === tries > 0; tries++) {
    const factor = await slowness();
    bare = Math.min(bare, (await cost(ports.barePort, request)) / factor);
    ours = Math.min(ours, (await costHere()) / factor);
  }
  return ours - bare;
}

/** How many times as much as at best everything costs at the moment. */
async function slowness(): Promise<number> {
  const now = await cost(ports.barePort, YARDSTICK);
  bestYardstick = Math.min(bestYardstick, now);
  return now / bestYardstick;
}

const bytesOf = ({ headers, body }: CostlyInput, id?: Id) => requestBytes({ headers, body: body(id) });

/** The cost of an answer to a question that is open. */
async function costOfAnswer(input: CostlyInput): Promise<number> {
  const call = legacy(session, 'tools/call', { name: 'waits', arguments: {} });
  const asking = await EventStream.open(ports.port, call);
  const { id } = await asking.next();
  const spent = await cost(ports.port, bytesOf(input, id));
  asking.connection.destroy();
  return spent;
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
