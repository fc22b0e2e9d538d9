import { readFileSync } from 'node:fs';
import { transform } from 'esbuild';
import { expect } from 'vitest';
import { ROOT } from '../architecture/sources.js';

/** The TypeScript blocks of a page, in order. */
export function blocksIn(page: string): string[] {
  const text = readFileSync(`${ROOT}/${page}`, 'utf8');
  return [...text.matchAll(/^```ts\n(.*?)^```/gms)].map(match => match[1] as string);
}

/** The names that a block imports from a subpath. */
export function importedFrom(subpath: string, block: string): string[] {
  const imports = [...block.matchAll(/^import \{([^}]*)\} from '([^']+)';\n/gm)];
  return imports
    .filter(([, , from]) => from === subpath)
    .flatMap(([, names]) => (names as string).split(','))
    .map(name => name.trim())
    .filter(name => name !== '');
}

/**
 * Runs code without its imports; `scope` has what it imports and everything else that it names. A line such as
 * `sum(1, 2); // 3` is checked: the expression gives the value in the comment.
 */
export async function runSnippet(code: string, scope: Readonly<Record<string, unknown>>): Promise<void> {
  const body = code
    .replace(/^import .*?;\n/gms, '')
    .replace(/^(?!const |\/\/)(\S.*); \/\/ (.+)$/gm, '__same(($1), ($2));');
  const { code: script } = await transform(body, { loader: 'ts', target: 'es2022' });
  const names = ['__same', ...Object.keys(scope)];
  const run = new AsyncFunction(...names, script);
  await run(
    (actual: unknown, expected: unknown) => expect(actual, code).toEqual(expected),
    ...Object.values(scope),
  );
}

const AsyncFunction = (async () => {}).constructor as new (
  ...args: string[]
) => (...args: unknown[]) => Promise<void>;
