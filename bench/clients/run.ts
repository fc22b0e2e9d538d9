/** Answers each `run` of the benchmark with the calls per second that a client makes. */
import { message } from '../scenarios.js';

/** Calls `echo` once, and returns the text of its answer. */
export type Call = () => Promise<string>;

const inFlight = 64;

export function serveRuns(connect: (url: string) => Promise<Call>): void {
  let call: Promise<Call> | undefined;
  process.on('disconnect', () => process.exit());
  process.on('message', async ({ url, seconds }: { url: string; seconds: number }) => {
    call ??= connect(url);
    process.send?.({ callsPerSecond: await run(await call, seconds) });
  });
}

async function run(call: Call, seconds: number): Promise<number> {
  const start = performance.now();
  const end = start + seconds * 1000;
  let calls = 0;
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (performance.now() < end) {
        if ((await call()) !== message) throw new Error('echo did not echo');
        calls++;
      }
    }),
  );
  return (calls * 1000) / (performance.now() - start);
}
