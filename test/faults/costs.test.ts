import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { program } from '../programs/program.js';
import { type CostlyInput, costlyInputs, type OpenRound } from './costly-inputs.js';
import { answerOf, EventStream, type Id, legacy, modern, openSession } from './messages.js';
import { exchange, RawConnection, requestBytes } from './raw-http.js';

/** The largest value in a body of 4 MiB. */
const BYTES = 4_100_000;
/** Every so many of all inputs are tried. `COSTLY_INPUTS=1` tries all of them, in some minutes. */
const EVERY = Number(process.env.COSTLY_INPUTS ?? 71);
/** How much processor time an input may cost beyond the bare server's, which parses the same bytes. */
const MAX_MS = 20;
/** Inputs that cost more than this are measured again, because most of them do only once, or on a busy machine. */
const SUSPICIOUS_MS = 8;
/** The garbage collector and other processes add to single runs, so the best of some runs counts. */
const MAX_TRIES = 12;
/** On a machine that is busy all the time, it takes more runs to find a good one. */
const MAX_EXACT_TRIES = 60;
/** The bare server is measured less often before an input is suspicious, because that takes most of the time. */
const BARE_TRIES = 3;
/** How many of the most expensive inputs are shown when all are tried. */
const SHOWN = 10;
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
  child = fork(program(path), [], { execArgv: ['--expose-gc'], stdio: 'ignore' });
  [ports] = (await once(child, 'message')) as [Ports];
  session = await openSession(ports.port, { capabilities: { elicitation: {} } });
  rounds = await Promise.all(['asks', 'remembers'].map(openRound));
  for (let tries = 0; tries < MAX_TRIES; tries++) await slowness();
});

afterAll(() => void child.kill('SIGKILL'));

it('no input costs much more than parsing it', async () => {
  const costs: { name: string; ms: number }[] = [];
  let number = 0;
  for (const input of costlyInputs(BYTES, session, rounds)) {
    if (number++ % EVERY !== 0) continue;
    const request = bytesOf(input);
    const ms = await leastCost(input, request);
    costs.push({ name: input.name, ms: ms > SUSPICIOUS_MS ? await exactCost(input, request) : ms });
  }
  costs.sort((a, b) => b.ms - a.ms);
  const shown = costs.map(({ name, ms }) => `${ms.toFixed(1)} ms: ${name}`);
  if (EVERY === 1) console.log([`The most expensive of ${number}:`, ...shown.slice(0, SHOWN)].join('\n'));
  expect(number).toBeGreaterThan(500);
  expect(shown.filter((_, at) => (costs[at]?.ms ?? 0) > MAX_MS)).toEqual([]);
}, 3_600_000);

/** Calls a tool that asks, and leaves its question open. */
async function openRound(tool: string): Promise<OpenRound> {
  const meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
  const call = modern('tools/call', { name: tool, arguments: {} }, { meta });
  const { requestState, inputRequests } = answerOf(await exchange(ports.port, call)).result;
  return { tool, requestState, key: Object.keys(inputRequests)[0] as string };
}

/** What the bare server needs for inputs of a shape, at best. */
const bareCosts = new Map<string, number>();

async function bareCost(shape: string, request: Buffer): Promise<number> {
  let best = bareCosts.get(shape) ?? Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < BARE_TRIES && !bareCosts.has(shape); tries++)
    best = Math.min(best, await cost(ports.barePort, request));
  bareCosts.set(shape, best);
  return best;
}

/**
 * The processor time in milliseconds that an input takes beyond the bare server's, or more: it is measured until it is
 * not suspicious, and everything that disturbs adds to it.
 */
async function leastCost(input: CostlyInput, request: Buffer): Promise<number> {
  const bare = await bareCost(input.shape, request);
  let ours = Number.POSITIVE_INFINITY;
  for (let tries = 0; tries < MAX_TRIES && ours - bare > SUSPICIOUS_MS; tries++)
    ours = Math.min(ours, await costHere(input, request));
  return ours - bare;
}

/** The same as it would be on a machine that is not busy. */
async function exactCost(input: CostlyInput, request: Buffer): Promise<number> {
  let [bare, ours] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let tries = 0; tries < MAX_TRIES || (ours - bare > MAX_MS && tries < MAX_EXACT_TRIES); tries++) {
    const factor = await slowness();
    bare = Math.min(bare, (await cost(ports.barePort, request)) / factor);
    ours = Math.min(ours, (await costHere(input, request)) / factor);
  }
  return ours - bare;
}

const costHere = (input: CostlyInput, request: Buffer) =>
  input.isAnswer ? costOfAnswer(input) : cost(ports.port, request);

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
  const before = await processorTime({ isClean: true });
  const connection = await RawConnection.open(port);
  connection.send(request);
  await connection.head();
  connection.destroy();
  await connection.closed;
  return (await processorTime({ isClean: false })) - before;
}

/** What the server has used so far, in milliseconds. `isClean` removes its garbage before. */
async function processorTime({ isClean }: { isClean: boolean }): Promise<number> {
  child.send({ isClean });
  const [{ user, system }] = (await once(child, 'message')) as [NodeJS.CpuUsage];
  return (user + system) / 1000;
}
