import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import type { Readable } from 'node:stream';
import { type BuildOptions, build } from 'esbuild';
import { afterTests, endWithTests } from './program.js';

const { default: WORKERD }: { default: string } = createRequire(import.meta.url)('workerd');

/** Starts a worker until the tests of the file are over. Returns its origin. `bindings` are the texts in its `env`. */
export async function startWorker(file: string, bindings: Record<string, string> = {}): Promise<string> {
  const folder = await mkdtemp(`${tmpdir()}/tenon-workerd-`);
  await build({ ...BUNDLING, entryPoints: [file], outfile: `${folder}/worker.js` });
  await writeFile(`${folder}/config.capnp`, configure(bindings));
  const child = spawn(WORKERD, ['serve', `${folder}/config.capnp`, '--control-fd=3'], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  afterTests(() => rm(folder, { recursive: true }));
  endWithTests(child);
  let printed = '';
  for (const output of [child.stdout, child.stderr]) {
    output?.setEncoding('utf8').on('data', chunk => {
      printed += chunk;
    });
  }
  const control = (child.stdio[3] as Readable).setEncoding('utf8');
  const [said] = await Promise.race([once(control, 'data'), once(child, 'exit')]);
  if (typeof said !== 'string') throw new Error(`workerd ended with ${said}:\n${printed}`);
  const { port } = JSON.parse(said) as { port: number };
  return `http://127.0.0.1:${port}`;
}

/** One file of standard JavaScript, as wrangler bundles it. */
const BUNDLING: BuildOptions = {
  bundle: true,
  format: 'esm',
  target: 'es2022',
  platform: 'neutral',
  mainFields: ['module', 'main'],
  conditions: ['workerd', 'worker', 'browser'],
  external: ['cloudflare:*'],
  logLevel: 'silent',
};

function configure(bindings: Record<string, string>): string {
  const texts = Object.entries(bindings).map(
    ([name, text]) => `(name = ${JSON.stringify(name)}, text = ${JSON.stringify(text)})`,
  );
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .worker),
    (name = "internet", network = (allow = ["private"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-10-01",
  bindings = [${texts.join(', ')}],
);
`;
}
