import { chmod, mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What tests start as a process of its own. */
const PROGRAMS = [
  'examples/bistro/main.ts',
  'examples/bistro/stdio.ts',
  'examples/rounds/stdio.ts',
  'test/**/fixtures/*.ts',
  'test/stdio-client/fixtures/client.mjs',
  'test/interop-client/servers/*-http.ts',
  'test/interop-client/servers/*-stdio.ts',
  'test/interop-client/servers/v2-stdio-legacy.ts',
  'test/interop-client/servers/visitor.ts',
  'test/cluster/closing.ts',
  'test/extensions/library.ts',
  'test/tasks/film-studio-stdio.ts',
  'test/tasks/node-process.ts',
  'test/tasks/queued-studio-worker.ts',
  'test/tasks-client/begin.ts',
  'test/tasks-client/official-stdio.ts',
];

/** Builds the programs once for all tests of a run: a process that compiles its own modules takes six times as long to start. */
export default async function buildPrograms(): Promise<() => Promise<void>> {
  const cache = join(ROOT, 'node_modules/.cache');
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(join(cache, 'tenon-programs-'));
  // Some programs run as another user.
  await chmod(folder, 0o755);
  await build({
    entryPoints: PROGRAMS,
    absWorkingDir: ROOT,
    outbase: ROOT,
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'error',
    plugins: [ownModules],
  });
  process.env.TENON_PROGRAMS = folder;
  return () => rm(folder, { recursive: true, force: true });
}

/** Takes in the modules of this repository, each with its own `import.meta.url`, and leaves packages where they are. */
export const ownModules: Plugin = {
  name: 'own modules',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path, kind }) =>
      kind === 'entry-point' || /^tenon(\/|$)/.test(path) ? undefined : { path, external: true },
    );
    onLoad({ filter: /\.(ts|mjs|js)$/ }, async ({ path }) => ({
      contents: (await readFile(path, 'utf8')).replaceAll(
        /\bimport\.meta\.url\b/g,
        JSON.stringify(pathToFileURL(path).href),
      ),
      loader: path.endsWith('.ts') ? 'ts' : 'js',
      resolveDir: dirname(path),
    }));
  },
};
