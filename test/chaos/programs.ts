import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the folders of runs are made. Each run has its own, so that the next one does not take its programs away. */
export const RUNS = pathTo('../../node_modules/.cache');

/** The arguments of Node that start a node, whose program has all packages in one file. */
export function nodeArgs(folder: string): [start: string, bundle: string] {
  return [join(folder, 'start.cjs'), join(folder, 'node.cjs')];
}

/** The path of a file beside this one. */
export function pathTo(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}
