/** Many clients that listen, in one process: it opens streams, and tells when the last of them has heard of a change. */
import { connect } from 'node:net';
import { now } from '../clock.js';
import { baseHeaders } from '../request.js';

/** What the benchmark asks of this process. */
export type Order =
  /** Opens streams, in turn at each of the nodes, until there are so many of that name. */
  | { open: string; urls: string[]; upTo: number }
  /** Waits until each stream of that name has heard of so many changes. */
  | { heard: string; changes: number };

export type Done = { arrivals: { last: number; median: number } } | { fault: string };

/** One stream, and the number of events that it has brought so far; the first one acknowledges it. */
interface Stream {
  events: number;
  arrivedAt: number;
}

const opening = 100;
const patienceMs = 60_000;
const streams = new Map<string, Stream[]>();
// libuv reads and calls back in the same turn of the event loop, so all sockets can read into the same memory.
const buffer = Buffer.allocUnsafe(64 * 1024);
const marker = Buffer.from('data: ');
let onEvent = () => {};

process.on('disconnect', () => process.exit());
process.on('message', async (order: Order) => {
  const done: Done = await carryOut(order).then(
    arrivals => ({ arrivals }),
    (error: Error) => ({ fault: error.message }),
  );
  process.send!(done);
});

async function carryOut(order: Order): Promise<{ last: number; median: number }> {
  if ('heard' in order) return heard(streams.get(order.heard)!, order.changes);
  const opened = streams.get(order.open) ?? [];
  streams.set(order.open, opened);
  while (opened.length < order.upTo) {
    const some = Math.min(opening, order.upTo - opened.length);
    for (let at = 0; at < some; at++) opened.push(listen(order.urls[opened.length % order.urls.length]!));
    await heard(opened, 0);
  }
  return heard(opened, 0);
}

/** Resolves when all streams have brought so many changes. */
async function heard(opened: Stream[], changes: number): Promise<{ last: number; median: number }> {
  const late = () => opened.filter(({ events }) => events <= changes).length;
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`${late()} of ${opened.length} streams have not heard of change ${changes}`)),
      patienceMs,
    );
    let waiting = late();
    // Counting again only when enough events have come keeps this cheap.
    onEvent = () => {
      if (--waiting > 0) return;
      waiting = late();
      if (waiting > 0) return;
      clearTimeout(timer);
      resolve();
    };
    waiting++;
    onEvent();
  });
  const arrivals = opened.map(({ arrivedAt }) => arrivedAt).sort((a, b) => a - b);
  return { last: arrivals.at(-1)!, median: arrivals[Math.floor(arrivals.length / 2)]! };
}

function listen(address: string): Stream {
  const url = new URL(address);
  const stream: Stream = { events: 0, arrivedAt: 0 };
  const callback = (count: number): boolean => {
    const text = buffer.subarray(0, count);
    for (let at = text.indexOf(marker); at >= 0; at = text.indexOf(marker, at + 1)) {
      stream.events++;
      stream.arrivedAt = now();
      onEvent();
    }
    return true;
  };
  const socket = connect({ host: url.hostname, port: Number(url.port), onread: { buffer, callback } });
  socket.on('error', fail).on('close', () => fail(new Error('a stream has ended')));
  socket.write(request(url));
  return stream;
}

function fail(error: Error): void {
  console.error(error.message);
  process.exit(1);
}

function request(url: URL): string {
  const method = 'subscriptions/listen';
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const notifications = { toolsListChanged: true, resourceSubscriptions: ['menu://today'] };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { notifications, _meta } });
  const headers = {
    Host: url.host,
    ...baseHeaders('2026-07-28'),
    'Mcp-Method': method,
    'Content-Length': Buffer.byteLength(body),
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${url.pathname} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}
