/**
 * `npm run bench:blocking [runs] [part of a name]`: for how long hostile servers block a client, in milliseconds.
 * Other processes make it longer, so the best of some runs counts; `cpu` is the processor time of the client itself.
 */
import { ClientChild } from '../test/client-faults/client-child.js';
import { HOSTILE_INPUTS } from '../test/client-faults/hostile-inputs.js';
import { serveHostile } from '../test/client-faults/hostile-server.js';

const runs = Number(process.argv[2] ?? 5);
const only = process.argv[3] ?? '';
const client = await ClientChild.start(1000);

console.log('  best  worst    cpu  end              way     input');
for (const input of HOSTILE_INPUTS) {
  if (!input.name.includes(only)) continue;
  for (const way of input.over) {
    const delays: number[] = [];
    const work: number[] = [];
    let end: string | undefined;
    for (let run = 0; run < runs; run++) {
      const { target, close } = await serveHostile(input, way);
      const { ends, delay, blocked } = await client.run(target, input.steps);
      delays.push(delay);
      work.push(blocked);
      end = ends.at(-1);
      await close();
    }
    const columns = [Math.min(...delays), Math.max(...delays), Math.min(...work)].map(ms =>
      ms.toFixed(0).padStart(6),
    );
    console.log(`${columns.join(' ')}  ${end!.padEnd(16)} ${way.padEnd(7)} ${input.name}`);
  }
}
client.kill();
