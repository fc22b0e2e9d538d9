/** `npm run bench`: compares Tenon and the official SDK with a bare `node:http` server. */
import { compare, formatComparison } from './compare.js';
import { type Options, readOptions, usage } from './options.js';
import { isBuilt, pinned, startLoad } from './processes.js';
import { formatScale, scale } from './scale.js';

try {
  await bench(skipUnbuilt(readOptions(process.argv.slice(2))));
} catch (error) {
  console.error(`bench: ${(error as Error).message}`);
  process.exitCode = 1;
}

async function bench(options: Options): Promise<void> {
  console.error(
    pinned
      ? 'servers run on core 0, the load generator on core 1'
      : 'NOT PINNED: taskset or a second core is missing, so servers and load generator may share a core',
  );
  const load = startLoad();
  try {
    if (options.scale) {
      const pairs = await scale(load, options);
      console.log(options.json ? JSON.stringify({ pinned, pairs }, null, 2) : formatScale(pairs));
    } else {
      const cells = await compare(load, options);
      console.log(options.json ? JSON.stringify({ pinned, cells }, null, 2) : formatComparison(cells));
    }
  } finally {
    load.stop();
  }
}

function skipUnbuilt(options: Options): Options {
  const targets = options.targets.filter(isBuilt);
  for (const target of options.targets) {
    if (!isBuilt(target)) console.error(`SKIPPED ${target}: there is no dist/, run "npm run build" first`);
  }
  if (targets.length === 0) throw new Error(`nothing to measure\n${usage}`);
  return { ...options, targets };
}
