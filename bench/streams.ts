/**
 * `npm run bench:streams [streams] [turns]`: how long it takes until a change on one of three nodes has reached the last of
 * 10,000 listen streams, and the memory of a stream. A bare fan-out over the same Redis is measured beside it, in turn.
 */
import { startRedis } from '../test/services/redis.js';
import { type StreamNode, startListeners, startStreamNode } from './processes.js';
import type { Changed, Usage } from './servers/node-of-streams.js';
import { median } from './statistics.js';
import { formatTable } from './table.js';

/** Three nodes and their streams. */
interface Fleet {
  name: string;
  nodes: StreamNode[];
  changes: number;
  heapPerStream: number;
  residentPerStream: number;
}

/** One kind of change of a fleet, and its times, turn by turn. */
interface Cell {
  name: string;
  fleet: Fleet;
  change: Changed;
  lastMs: number[];
  medianMs: number[];
  cpuMs: number[];
}

const count = Number(process.argv[2] ?? 10_000);
const turns = Number(process.argv[3] ?? 21);
const warmUps = 5;
const first = 600;
const nodeCount = 3;
const listenerCount = 2;

const redis = await startRedis();
const listeners = Array.from({ length: listenerCount }, () => startListeners());
const fleets: Fleet[] = [];
try {
  for (const name of ['streams-bare', 'streams-tenon']) fleets.push(await openFleet(name));
  const [bare, tenon] = fleets as [Fleet, Fleet];
  const cells = [
    cellOf('bare fan-out', bare, 'list'),
    cellOf('tenon, a list changed', tenon, 'list'),
    cellOf('tenon, a resource changed', tenon, 'resource'),
  ];
  for (let turn = -warmUps; turn < turns; turn++)
    for (let at = 0; at < cells.length; at++)
      await measure(cells[(turn + warmUps + at) % cells.length]!, turn);
  print(cells);
} finally {
  for (const { nodes } of fleets) for (const node of nodes) node.stop();
  for (const each of listeners) each.stop();
  await redis.stop();
}

async function openFleet(name: string): Promise<Fleet> {
  const nodes: StreamNode[] = [];
  while (nodes.length < nodeCount) nodes.push(await startStreamNode(name, redis.url));
  const fleet = { name, nodes, changes: 0, heapPerStream: 0, residentPerStream: 0 };
  // The first streams load and compile what all streams share.
  await openStreams(fleet, first);
  const before = await memoryOf(fleet);
  await openStreams(fleet, count);
  const after = await memoryOf(fleet);
  fleet.heapPerStream = (after.heapBytes - before.heapBytes) / (count - first);
  fleet.residentPerStream = (after.residentBytes - before.residentBytes) / (count - first);
  return fleet;
}

async function openStreams({ name, nodes }: Fleet, upTo: number): Promise<void> {
  const urls = nodes.map(({ url }) => url);
  const share = upTo / listenerCount;
  await Promise.all(listeners.map(each => each.ask({ open: name, urls, upTo: share })));
}

async function memoryOf({ nodes }: Fleet): Promise<{ heapBytes: number; residentBytes: number }> {
  const usages: Usage[] = [];
  for (const node of nodes) usages.push(await node.ask('memory'));
  const sum = (property: keyof Usage) => usages.reduce((total, usage) => total + usage[property], 0);
  return { heapBytes: sum('heapBytes'), residentBytes: sum('residentBytes') };
}

function cellOf(name: string, fleet: Fleet, change: Changed): Cell {
  return { name, fleet, change, lastMs: [], medianMs: [], cpuMs: [] };
}

async function measure({ fleet, change, lastMs, medianMs, cpuMs }: Cell, turn: number): Promise<void> {
  const cpuBefore = await cpuOf(fleet);
  fleet.changes++;
  const order = { heard: fleet.name, changes: fleet.changes };
  const arriving = Promise.all(listeners.map(each => each.ask(order)));
  const { changedAt } = await fleet.nodes[fleet.changes % nodeCount]!.ask({ change });
  const arrivals = await arriving;
  const cpuAfter = await cpuOf(fleet);
  if (turn < 0) return;
  lastMs.push(Math.max(...arrivals.map(({ last }) => last)) - changedAt);
  medianMs.push(median(arrivals.map(arrival => arrival.median)) - changedAt);
  cpuMs.push(cpuAfter - cpuBefore);
}

async function cpuOf({ nodes }: Fleet): Promise<number> {
  const usages = await Promise.all(nodes.map(node => node.ask('usage')));
  return usages.reduce((total, { cpuMs }) => total + cpuMs, 0);
}

function print(cells: Cell[]): void {
  const [bare] = cells as [Cell];
  const quotient = (own: number[], other: number[]) => median(own.map((each, at) => each / other[at]!));
  const rows = cells.map(({ name, fleet, lastMs, medianMs, cpuMs }) => [
    name,
    median(lastMs).toFixed(0),
    quotient(lastMs, bare.lastMs).toFixed(2),
    median(medianMs).toFixed(0),
    ((median(cpuMs) * 1000) / count).toFixed(1),
    quotient(cpuMs, bare.cpuMs).toFixed(2),
    (fleet.heapPerStream / 1024).toFixed(1),
    (fleet.residentPerStream / 1024).toFixed(1),
  ]);
  const heading = [
    '',
    'last ms',
    'ratio',
    'median ms',
    'cpu us per stream',
    'ratio',
    'heap KiB per stream',
    'resident KiB per stream',
  ];
  console.log(`${count} streams on ${nodeCount} nodes, ${turns} changes of each kind:`);
  console.log(formatTable([heading, ...rows], 1));
}
