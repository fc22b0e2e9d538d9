import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, build, type OutputFile } from 'esbuild';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const OUT = resolve(ROOT, 'out');

export interface Program {
  readonly platform: 'browser' | 'neutral' | 'node';
  readonly text: string;
}

/** The bytes of a bundled program, minified and compressed with gzip. */
export interface Size {
  /** Of the files that are loaded when the program starts: the entry and what it imports statically. */
  readonly start: number;
  /** Of everything in one file, with what is loaded on demand. */
  readonly total: number;
}

/** Bundles a program that uses the package by its name, as its exports say. The library of schemas stays outside. */
export async function bundledSize({ platform, text }: Program): Promise<Size> {
  const options = {
    stdin: { contents: text, resolveDir: ROOT },
    platform,
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    mainFields: ['module', 'main'],
    external: ['zod'],
    outdir: OUT,
    metafile: true,
    write: false,
  } as const satisfies BuildOptions;
  const [{ outputFiles: whole }, { outputFiles, metafile }] = await Promise.all([
    build(options),
    build({ ...options, splitting: true }),
  ]);
  const files = new Map(outputFiles.map(file => [file.path, file]));
  const loaded = new Set<string>();
  const load = (path: string): void => {
    if (loaded.has(path)) return;
    loaded.add(path);
    const output = metafile.outputs[path];
    for (const { kind, path: next, external } of output?.imports ?? []) {
      if (kind === 'import-statement' && !external) load(next);
    }
  };
  load(
    Object.keys(metafile.outputs).find(path => metafile.outputs[path]?.entryPoint === '<stdin>') as string,
  );
  return {
    start: sum([...loaded].map(path => files.get(resolve(process.cwd(), path)) as OutputFile)),
    total: sum(whole),
  };
}

function sum(files: readonly OutputFile[]): number {
  return files.reduce((bytes, { contents }) => bytes + gzipSync(contents, { level: 9 }).length, 0);
}
