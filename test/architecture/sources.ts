import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of the project; its path begins with `src/`. */
export interface Source {
  path: string;
  text: string;
}

export interface Import {
  /** As it is written, or the path of the file if it is one of ours. */
  target: string;
  /** Whether something of it runs: all but `import type` and `export type`. */
  isValue: boolean;
  isDynamic: boolean;
}

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What is shipped: everything under src/ but the tests. */
export function readSources(): Source[] {
  return readdirSync(`${ROOT}/src`, { recursive: true, encoding: 'utf8' })
    .filter(path => /\.tsx?$/.test(path) && !path.endsWith('.test.ts'))
    .map(path => path.replaceAll('\\', '/'))
    .sort()
    .map(path => ({ path: `src/${path}`, text: readFileSync(`${ROOT}/src/${path}`, 'utf8') }));
}

/** The folder under src/ that a file belongs to; the file itself for `src/index.ts`. */
export function folderOf(path: string): string {
  return path.split('/')[1] as string;
}

/** What a file imports. Import statements begin at the start of a line: the formatter sees to that. */
export function importsOf({ path, text }: Source): Import[] {
  const statements = [
    ...text.matchAll(/^(?:import|export)(\s+type)?(?=\s|\{)[^;'"]*?from\s+['"]([^'"]+)['"]/gm),
  ];
  const bare = [...text.matchAll(/^import\s+['"]([^'"]+)['"]/gm)];
  const dynamic = [...text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g)];
  return [
    ...statements.map(([, type, target]) => ({ target, isValue: type === undefined, isDynamic: false })),
    ...bare.map(([, target]) => ({ target, isValue: true, isDynamic: false })),
    ...dynamic.map(([, target]) => ({ target, isValue: true, isDynamic: true })),
  ]
    .filter(({ target }) => !target?.endsWith('.css'))
    .map(({ target, ...rest }) => ({ target: resolve(path, target as string), ...rest }));
}

function resolve(from: string, target: string): string {
  if (!target.startsWith('.')) return target;
  return posix.join(posix.dirname(from), target).replace(/\.js(x?)$/, '.ts$1');
}
