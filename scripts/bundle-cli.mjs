// Bundles the command line with the libraries that it uses, so that installing the package installs none of them.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { build } from 'esbuild';

const OUT = 'dist/cli';

// The names of chunks change with their content, so those of earlier builds would stay.
await rm(OUT, { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: ['src/cli/main.ts', 'src/cli/load/typescript-hooks.ts'],
  entryNames: '[name]',
  outdir: OUT,
  bundle: true,
  // Each command is loaded when it is used.
  splitting: true,
  // Beside the entry, so that package.json is two folders above every file, as it is above the sources.
  chunkNames: '[name]-[hash]',
  format: 'esm',
  platform: 'node',
  target: 'node20',
  // ES modules where a package has both: some of the others cannot be bundled.
  mainFields: ['module', 'main'],
  // The package finds itself by its name.
  external: ['tenon', 'tenon/*'],
  // Libraries in CommonJS call `require` for modules of Node.
  banner: {
    js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);",
  },
  metafile: true,
  logLevel: 'warning',
});
await writeFile(`${OUT}/THIRD-PARTY-LICENSES.txt`, await licenses(Object.keys(metafile.inputs)));

/** The licenses of all packages that went into the bundle: they ask to be passed on. */
async function licenses(inputs) {
  const packages = inputs.flatMap(path => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
  const texts = [...new Set(packages)].sort().map(async name => {
    const folder = `node_modules/${name}`;
    const { version, license } = JSON.parse(await readFile(`${folder}/package.json`, 'utf8'));
    const file = (await readdir(folder)).find(entry => /^licen[cs]e/i.test(entry));
    const text = file ? await readFile(`${folder}/${file}`, 'utf8') : `License: ${license}\n`;
    return `${name} ${version}\n\n${text.trim()}\n`;
  });
  return (await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n\n`);
}
