/** Makes one file of each program of the chaos test, because they would spend most of their time on loading modules. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { build } from 'esbuild';
import { ownModules } from '../programs/build.js';
import { NODE_ARGS, NODE_BUNDLE, PROGRAMS, pathTo } from './programs.js';

rmSync(PROGRAMS, { recursive: true, force: true });
mkdirSync(PROGRAMS, { recursive: true });
const common = { bundle: true, platform: 'node', target: 'node20', logLevel: 'error' } as const;
await build({
  ...common,
  entryPoints: [pathTo('run.ts')],
  outdir: PROGRAMS,
  outExtension: { '.js': '.mjs' },
  format: 'esm',
  plugins: [ownModules],
});
await build({
  ...common,
  entryPoints: [pathTo('node.mjs')],
  outfile: NODE_BUNDLE,
  format: 'cjs',
  minifyWhitespace: true,
  // Only the parts that read files of pages need it.
  logOverride: { 'empty-import-meta': 'silent' },
});
// A copy, so that a run does not depend on the working tree.
copyFileSync(pathTo('start.cjs'), NODE_ARGS[0] as string);
// The first start writes down what was compiled, and ends because nobody tells it where to serve.
execFileSync(process.execPath, NODE_ARGS);
