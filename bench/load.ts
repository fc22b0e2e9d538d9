/** The load generator: a process of its own that runs one job at a time and answers with its measurement. */
import type { Expectation } from './answer.js';
import { Connection, type Run } from './connection.js';
import { cpuSeconds } from './cpu.js';
import { firstId, type PreparedRequest, prepareRequest } from './request.js';
import { sessionsOf } from './sessions.js';

export interface Job extends Expectation {
  url: string;
  /** The access token for a protected server. */
  token: string | undefined;
  /** The server's process, whose processor time is read. */
  pid: number;
  seconds: number;
  connections: number;
  /** How many legacy sessions take turns. */
  sessions: number;
}

export interface Measurement {
  requestsPerSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** Share of one core; undefined where the system does not provide it. */
  serverCpu: number | undefined;
  loadCpu: number | undefined;
}

export type Outcome = { measurement: Measurement } | { fault: string };

const rampMilliseconds = 100;
const patienceMilliseconds = 10_000;
let lastId = firstId;

process.on('disconnect', () => process.exit());
process.on('message', async (job: Job) => {
  const outcome: Outcome = await measure(job).then(
    measurement => ({ measurement }),
    (error: Error) => ({ fault: error.cause ? `${error.message}: ${String(error.cause)}` : error.message }),
  );
  process.send!(outcome);
});

async function measure(job: Job): Promise<Measurement> {
  const requests = await prepareRequests(job);
  const latencies: number[] = [];
  let recording = false;
  let fail: (error: Error) => void = () => {};
  const fault = new Promise<never>((_, reject) => {
    fail = reject;
  });
  const run: Run = {
    expectation: job,
    nextId: () => ++lastId,
    onAnswer: milliseconds => void (recording && latencies.push(milliseconds)),
    onFault: fail,
  };
  const connections = requests.map(own => new Connection(new URL(job.url), own, run));
  const stopPolling = stayAwake();
  await Promise.race([fault, sleep(rampMilliseconds)]);
  const before = clocks(job.pid);
  recording = true;
  await Promise.race([fault, sleep(job.seconds * 1000)]);
  recording = false;
  const after = clocks(job.pid);
  await Promise.race([fault, Promise.all(connections.map(connection => connection.stop())), silence()]);
  stopPolling();
  return summarize(latencies, before, after);
}

/**
 * Keeps this process from sleeping between answers. A server that writes to a sleeping process has to wake it. On a
 * virtual machine that costs more than a call does, and it happens to a slow server more often than to a fast one.
 */
function stayAwake(): () => void {
  let isAwake = true;
  const poll = () => void (isAwake && setImmediate(poll));
  poll();
  return () => {
    isAwake = false;
  };
}

/** The requests of each connection: its own copies, because ids are written into them. */
async function prepareRequests(job: Job): Promise<PreparedRequest[][]> {
  const url = new URL(job.url);
  const sessions = job.era === '2025-11-25' ? await sessionsOf(job, job.sessions) : [undefined];
  return Array.from({ length: job.connections }, (_, index) => {
    const own = sessions.filter((_, session) => session % job.connections === index);
    const used = own.length > 0 ? own : [sessions[index % sessions.length]];
    return used.map(session => prepareRequest(url, job.era, job.scenario, { session, token: job.token }));
  });
}

interface Clocks {
  wall: number;
  server: number | undefined;
  load: number | undefined;
}

function clocks(serverPid: number): Clocks {
  return {
    wall: performance.now() / 1000,
    server: cpuSeconds(serverPid),
    load: cpuSeconds(process.pid),
  };
}

function summarize(latencies: number[], before: Clocks, after: Clocks): Measurement {
  if (latencies.length === 0) throw new Error('it gave no answer at all');
  const sorted = Float64Array.from(latencies).sort();
  const seconds = after.wall - before.wall;
  const share = (from?: number, to?: number) =>
    from === undefined || to === undefined ? undefined : (to - from) / seconds;
  return {
    requestsPerSecond: sorted.length / seconds,
    p50: sorted[Math.floor(sorted.length * 0.5)]!,
    p99: sorted[Math.floor(sorted.length * 0.99)]!,
    serverCpu: share(before.server, after.server),
    loadCpu: share(before.load, after.load),
  };
}

function sleep(milliseconds: number): Promise<void> {
  return new Promise(resolve => setTimeout(resolve, milliseconds));
}

function silence(): Promise<never> {
  return new Promise((_, reject) => {
    const error = new Error(`it left a request unanswered for ${patienceMilliseconds / 1000} s`);
    setTimeout(() => reject(error), patienceMilliseconds).unref();
  });
}
