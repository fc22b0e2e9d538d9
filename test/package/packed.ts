import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

/** A project of somebody else, with the package installed as npm would publish it. */
export interface Project extends AsyncDisposable {
  readonly folder: string;
  /** Where the package is. */
  readonly tenon: string;
  /** The files of the package, relative to it, sorted. */
  readonly files: readonly string[];
}

/**
 * Packs what `npm run build` has made and installs it in an empty folder outside of this project, so that nothing of
 * it can be found by accident: neither `@types/node` nor a dependency that `package.json` does not name.
 */
export async function installPacked(): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'tenon-packed-'));
  const tenon = join(folder, 'node_modules/tenon');
  await mkdir(tenon, { recursive: true });
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], {
    cwd: ROOT,
  });
  const [{ filename, files }] = JSON.parse(stdout) as [{ filename: string; files: { path: string }[] }];
  await run('tar', ['-xzf', join(folder, filename), '-C', tenon, '--strip-components=1']);
  const { dependencies } = await readManifest(tenon);
  await install(Object.keys(dependencies ?? {}), folder);
  return {
    folder,
    tenon,
    files: files.map(({ path }) => path).sort(),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** Copies packages of this project, and what they depend on. Links would lead back into this project. */
export async function install(
  names: readonly string[],
  folder: string,
  done = new Set<string>(),
): Promise<void> {
  for (const name of names.filter(name => !done.has(name))) {
    done.add(name);
    const from = join(ROOT, 'node_modules', name);
    await cp(from, join(folder, 'node_modules', name), { recursive: true });
    const { dependencies } = await readManifest(from);
    await install(Object.keys(dependencies ?? {}), folder, done);
  }
}

export interface Manifest {
  readonly dependencies?: Record<string, string>;
  readonly exports: Record<string, string | Record<string, string>>;
  readonly main: string;
  readonly types: string;
}

export async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
}
