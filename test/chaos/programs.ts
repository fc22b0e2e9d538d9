import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where `build.ts` puts the programs of this test. */
export const PROGRAMS = pathTo('../../node_modules/.cache/tenon-chaos');
/** The program of a node, with all packages. */
export const NODE_BUNDLE = join(PROGRAMS, 'node.cjs');
/** The arguments of Node that start it. */
export const NODE_ARGS = [join(PROGRAMS, 'start.cjs'), NODE_BUNDLE];

/** The path of a file beside this one. */
export function pathTo(file: string): string {
  return fileURLToPath(new URL(file, import.meta.url));
}
