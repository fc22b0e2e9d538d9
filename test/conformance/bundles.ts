import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';

const bundled = new Map<string, Promise<string>>();

/** The client of this folder in one file, which starts in a fraction of the time. */
export function bundleClient(): Promise<string> {
  return bundle(fileURLToPath(new URL('client.ts', import.meta.url)));
}

/** The conformance CLI in one file, for the same reason. */
export function bundleCli(): Promise<string> {
  const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json');
  return bundle(join(dirname(manifest), 'dist', 'index.js'));
}

export async function removeBundles(): Promise<void> {
  for (const path of bundled.values()) await rm(dirname(await path), { recursive: true });
  bundled.clear();
}

function bundle(entry: string): Promise<string> {
  const path = bundled.get(entry) ?? write(entry);
  bundled.set(entry, path);
  return path;
}

async function write(entry: string): Promise<string> {
  const outfile = join(await mkdtemp(join(tmpdir(), 'tenon-conformance-')), 'bundle.mjs');
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'error',
    // CommonJS modules in the bundle require those of Node.
    banner: {
      js: `import { createRequire as bundleRequire } from 'node:module'; const require = bundleRequire(import.meta.url);`,
    },
    plugins: [globSync],
  });
  return outfile;
}

/**
 * The CLI imports `globSync` from 'fs', which Node has only since 22, and would not start before: the one command that
 * calls the function (tier-check) fails instead.
 */
const globSync: Plugin = {
  name: 'glob-sync',
  setup(build) {
    build.onResolve({ filter: /^fs$/ }, ({ importer }) =>
      importer.includes('/@modelcontextprotocol/conformance/') ? { path: 'fs', namespace: 'glob-sync' } : {},
    );
    build.onLoad({ filter: /^fs$/, namespace: 'glob-sync' }, () => ({
      contents: `
        export * from 'node:fs';
        export function globSync() { throw new Error('fs.globSync needs Node 22'); }
      `,
    }));
  },
};
