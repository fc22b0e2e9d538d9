import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { transformWithEsbuild } from 'vite';
import type * as authClient from '../../../../src/node/client/auth/index.js';
import type * as client from '../../../../src/node/client/index.js';

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

const ORIGINAL = join(MUTANTS, 'original');

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

/** Only what imports the mutated files is made anew; the rest is shared. */
async function makeMutant(mutations: readonly Mutation[], folder: string): Promise<Library> {
  original ??= writeOriginal();
  const sources = await original;
  const affected = new Map<string, string>();
  for (const { file } of mutations) {
    const text = await readFile(join(SOURCE, file), 'utf8');
    affected.set(
      nameOf(file),
      await compile(file, mutations.filter(other => other.file === file).reduce(mutate, text)),
    );
  }
  for (const file of affected.keys()) {
    for (const [importer, text] of sources)
      if (!affected.has(importer) && importsOf(importer, text).includes(file)) affected.set(importer, text);
  }
  await write(join(folder, 'package.json'), '{ "type": "module" }');
  const redirected = [...affected].map(([file, text]) =>
    write(
      join(folder, file),
      redirectImports(file, text, name => (affected.has(name) ? folder : ORIGINAL)),
    ),
  );
  await Promise.all(redirected);
  const load = (file: string) =>
    import(/* @vite-ignore */ pathToFileURL(join(affected.has(file) ? folder : ORIGINAL, file)).href);
  const [auth, { connect }] = await Promise.all([
    load('node/client/auth/index.js'),
    load('node/client/index.js'),
  ]);
  return { ...auth, connect };
}

const IMPORT = /(?<=\b(?:from|import)\s*\(?")\.[^"]+(?=")/g;

function importsOf(file: string, text: string): string[] {
  return [...text.matchAll(IMPORT)].map(([path]) => join(dirname(file), path));
}

/** Imports each file from the folder that it is in. */
function redirectImports(file: string, text: string, folderOf: (file: string) => string): string {
  return text.replaceAll(IMPORT, path => {
    const name = join(dirname(file), path);
    return pathToFileURL(join(folderOf(name), name)).href;
  });
}

function mutate(text: string, { file, from, to }: Mutation): string {
  const parts = text.split(from);
  if (parts.length !== 2) throw new Error(`in ${file}, this is there ${parts.length - 1} times: ${from}`);
  return parts.join(to);
}

let original: Promise<ReadonlyMap<string, string>> | undefined;

/** Compiles the sources as they are. */
async function writeOriginal(): Promise<ReadonlyMap<string, string>> {
  const files = (await readdir(SOURCE, { recursive: true })).filter(file =>
    /(?<!\.test|\.test-d)\.ts$/.test(file),
  );
  const compiled = await Promise.all(
    files.map(async file => {
      const text = await compile(file, await readFile(join(SOURCE, file), 'utf8'));
      await write(join(ORIGINAL, nameOf(file)), text);
      return [nameOf(file), text] as const;
    }),
  );
  await write(join(ORIGINAL, 'package.json'), '{ "type": "module" }');
  return new Map(compiled);
}

/** What a source is called when it is compiled. */
function nameOf(file: string): string {
  return file.replace(/ts$/, 'js');
}

async function compile(file: string, text: string): Promise<string> {
  const { code } = await transformWithEsbuild(text, file, { target: 'es2022', sourcemap: false });
  return code;
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
