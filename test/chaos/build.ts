/**
 * Makes one file of each program of the chaos test, because they would spend most of their time on loading modules. Prints
 * the path of the one to start, in a folder that it removes when it ends.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { ownModules } from '../programs/build.js';
import { nodeArgs, pathTo, RUNS } from './programs.js';

mkdirSync(RUNS, { recursive: true });
const folder = mkdtempSync(join(RUNS, 'tenon-chaos-'));
const [start, bundle] = nodeArgs(folder);
const common = { bundle: true, platform: 'node', target: 'node20', logLevel: 'error' } as const;
await build({
  ...common,
  entryPoints: [pathTo('run.ts')],
  outdir: folder,
  outExtension: { '.js': '.mjs' },
  format: 'esm',
  plugins: [ownModules],
});
await build({
  ...common,
  entryPoints: [pathTo('node.mjs')],
  outfile: bundle,
  format: 'cjs',
  minifyWhitespace: true,
  // Only the parts that read files of pages need it.
  logOverride: { 'empty-import-meta': 'silent' },
});
// A copy, so that a run does not depend on the working tree.
copyFileSync(pathTo('start.cjs'), start);
// The first start writes down what was compiled, and ends because nobody tells it where to serve.
execFileSync(process.execPath, [start, bundle]);
console.log(join(folder, 'run.mjs'));
