import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformWithEsbuild } from 'vite';
import type * as authClient from '../../../../src/node/auth-client.js';
import type * as client from '../../../../src/node/client.js';

/** What is attacked: what users of the library import. */
export type Library = typeof authClient & Pick<typeof client, 'connect'>;

/** A change of one source file that takes a check away. */
export interface Mutation {
  /** In `src`. */
  file: string;
  /** Text that is there once. */
  from: string;
  to: string;
}

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const SOURCE = join(ROOT, 'src');
/** Next to the packages that the mutants need, and ignored by everything. */
const MUTANTS = join(ROOT, 'node_modules', '.mutants', String(process.pid));

const loaded = new Map<string, Promise<Library>>();

/** Loads the library with some checks taken away. Those that are the same are loaded once. */
export function loadMutant(mutations: readonly Mutation[]): Promise<Library> {
  const key = JSON.stringify(mutations);
  const mutant = loaded.get(key) ?? makeMutant(mutations, join(MUTANTS, String(loaded.size)));
  loaded.set(key, mutant);
  return mutant;
}

export async function removeMutants(): Promise<void> {
  await rm(MUTANTS, { recursive: true, force: true });
}

async function makeMutant(mutations: readonly Mutation[], folder: string): Promise<Library> {
  sources ??= readSources();
  const texts = new Map(await sources);
  for (const { file, from, to } of mutations) {
    const text = await readFile(join(SOURCE, file), 'utf8');
    const changed = mutations.filter(other => other.file === file).reduce(mutate, text);
    if (changed === text) throw new Error(`${file} stays the same with ${to} in place of ${from}`);
    texts.set(file, await compile(file, changed));
  }
  await Promise.all([...texts].map(([file, text]) => write(join(folder, file.replace(/ts$/, 'js')), text)));
  await write(join(folder, 'package.json'), '{ "type": "module" }');
  const load = (file: string) => import(/* @vite-ignore */ pathToFileURL(join(folder, file)).href);
  const [auth, { connect }] = await Promise.all([load('node/auth-client.js'), load('node/client.js')]);
  return { ...auth, connect };
}

function mutate(text: string, { file, from, to }: Mutation): string {
  const parts = text.split(from);
  if (parts.length !== 2) throw new Error(`in ${file}, this is there ${parts.length - 1} times: ${from}`);
  return parts.join(to);
}

let sources: Promise<[file: string, text: string][]> | undefined;

/** The compiled sources. */
async function readSources(): Promise<[file: string, text: string][]> {
  const files = (await readdir(SOURCE, { recursive: true })).filter(file =>
    /(?<!\.test|\.test-d)\.ts$/.test(file),
  );
  return Promise.all(
    files.map(
      async file =>
        [file, await compile(file, await readFile(join(SOURCE, file), 'utf8'))] as [string, string],
    ),
  );
}

async function compile(file: string, text: string): Promise<string> {
  const { code } = await transformWithEsbuild(text, file, { target: 'es2022', sourcemap: false });
  return code;
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
