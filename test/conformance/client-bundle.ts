import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const OUTPUT = fileURLToPath(new URL('../../node_modules/.tenon-conformance/', import.meta.url));

let bundled: Promise<string> | undefined;

/** The client of this folder in one file, which starts in a fraction of the time. */
export function bundleClient(): Promise<string> {
  bundled ??= bundle();
  return bundled;
}

async function bundle(): Promise<string> {
  // Files with tests run side by side.
  const outDir = join(OUTPUT, String(process.pid));
  await build({
    configFile: false,
    logLevel: 'error',
    ssr: { noExternal: true },
    build: {
      ssr: fileURLToPath(new URL('client.ts', import.meta.url)),
      outDir,
      emptyOutDir: true,
      minify: false,
      target: 'node20',
      rollupOptions: { output: { entryFileNames: 'client.mjs' } },
    },
  });
  return join(outDir, 'client.mjs');
}
