/**
 * `npm run bench:reload [turns]`: how long it takes from a saved change until a client gets the answer of the new code,
 * by a reload of `tenon dev` and by a restart of the same server as a bare program. Both are measured in turn; only the
 * ratio says something about other machines.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { type Client, connect } from 'tenon/client';
import { median } from './statistics.js';

const turns = Number(process.argv[2] ?? 15);
const root = fileURLToPath(new URL('..', import.meta.url));
const [live, bare] = [await makeProject(), await makeProject()];
const dev = start(
  live,
  join(root, 'dist/cli/main.js'),
  'dev',
  'server.js',
  '--port',
  '0',
  '--no-open',
  '--json',
);
const client = await connect(await urlOf(dev));
const ratios: number[] = [];
try {
  for (let turn = 0; turn < turns; turn++) {
    const measures = [() => reload(client, `reload ${turn}`), () => restart(`restart ${turn}`)];
    // The order changes, so that other work of the machine disturbs both equally.
    const isTurned = turn % 2 === 1;
    const times = [];
    for (const measure of isTurned ? measures.reverse() : measures) times.push(await measure());
    const [reloaded = 0, restarted = 0] = isTurned ? times.reverse() : times;
    ratios.push(reloaded / restarted);
  }
} finally {
  await client.close();
  dev.kill();
  for (const folder of [live, bare]) await rm(folder, { recursive: true });
}
const [lowest, highest] = [Math.min(...ratios), Math.max(...ratios)];
console.log(`a reload takes ${median(ratios).toFixed(2)} of the time of a restart`);
console.log(`(${lowest.toFixed(2)} to ${highest.toFixed(2)} in ${turns} turns)`);

async function makeProject(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'tenon-reload-'));
  await mkdir(join(made, 'node_modules'));
  await symlink(root, join(made, 'node_modules/tenon'), 'dir');
  await symlink(join(root, 'node_modules/zod'), join(made, 'node_modules/zod'), 'dir');
  const files = {
    'package.json': '{ "type": "module" }',
    'word.js': wordFile('first'),
    'server.js': `import { Server } from 'tenon';
import { z } from 'zod';
import { word } from './word.js';
const server = new Server({ name: 'reload', version: '1.0.0' });
server.tool('say', { input: z.object({ name: z.string() }) }, () => word);
export default server;
`,
    'main.js': `import { listen } from 'tenon/node';
import server from './server.js';
const { url } = await listen(server, { port: 0 });
console.log(JSON.stringify({ url }));
`,
  };
  for (const [name, text] of Object.entries(files)) await writeFile(join(made, name), text);
  return made;
}

function wordFile(word: string): string {
  return `export const word = ${JSON.stringify(word)};\n`;
}

function start(cwd: string, ...args: string[]): ChildProcess {
  return spawn(process.execPath, args, { cwd, stdio: ['ignore', 'pipe', 'ignore'] });
}

async function urlOf({ stdout }: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: stdout! })) {
    const { url } = JSON.parse(line);
    if (url !== undefined) return url;
  }
  throw new Error('the server ended before it listened');
}

/** Saves a change, and calls until the new code answers. */
async function reload(connected: Client, word: string): Promise<number> {
  const startedAt = performance.now();
  await writeFile(join(live, 'word.js'), wordFile(word));
  while ((await say(connected)) !== word);
  return performance.now() - startedAt;
}

/** Saves a change, starts the program, connects and calls. */
async function restart(word: string): Promise<number> {
  const startedAt = performance.now();
  await writeFile(join(bare, 'word.js'), wordFile(word));
  const program = start(bare, 'main.js');
  const connected = await connect(await urlOf(program));
  if ((await say(connected)) !== word) throw new Error('the program has served old code');
  const ms = performance.now() - startedAt;
  await connected.close();
  program.kill();
  return ms;
}

async function say(connected: Client): Promise<string> {
  const { content } = await connected.callTool('say', { name: 'Ada' });
  return (content[0] as { text: string }).text;
}
