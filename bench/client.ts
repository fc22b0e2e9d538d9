/** `npm run bench:client`: calls per second of clients against a bare server, 64 in flight, in turns. */
import { startClient, startServer } from './processes.js';
import { median } from './statistics.js';

const clients = ['bare', 'official', 'tenon'] as const;
const turns = Number(process.argv[2] ?? 7);
const seconds = 1;

const server = await startServer('bare', 1);
const running = clients.map(name => ({ name, ...startClient(name), rates: [] as number[] }));
try {
  for (const { run } of running) await run(server.url, seconds);
  for (let turn = 0; turn < turns; turn++) {
    for (const { run, rates } of running) rates.push(await run(server.url, seconds));
  }
  const [bare, official] = running.map(({ rates }) => rates) as [number[], number[]];
  for (const { name, rates } of running) {
    const of = (others: number[]) => median(rates.map((rate, turn) => rate / others[turn]!)).toFixed(2);
    const rate = Math.round(median(rates)).toLocaleString('en');
    console.log(
      `${name.padEnd(9)} ${rate.padStart(8)} calls/s  ${of(bare)} of bare  ${of(official)} of official`,
    );
  }
} finally {
  for (const { stop } of running) stop();
  server.stop();
}
