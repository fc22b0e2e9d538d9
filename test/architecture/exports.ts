import { readFileSync } from 'node:fs';
import { ROOT } from './sources.js';

/** The names that an index file exports, types with `type` before them, sorted. */
export function exportedNames(text: string): string[] {
  const lists = [...text.matchAll(/^export\s+(type\s+)?\{([^}]*)\}/gm)];
  const listed = lists.flatMap(([, type, list]) =>
    (list as string)
      .split(',')
      .map(name => name.trim())
      .filter(name => name !== '')
      .map(name => (type && !name.startsWith('type ') ? `type ${name}` : name))
      .map(name => name.replace(/\S+ as /, '')),
  );
  const declared = [
    ...text.matchAll(/^export\s+(?:async\s+)?(const|function|class|interface|type)\s+(\w+)/gm),
  ].map(([, kind, name]) => (kind === 'interface' || kind === 'type' ? `type ${name}` : (name as string)));
  return [...listed, ...declared].sort((a, b) => bare(a).localeCompare(bare(b), 'en'));
}

/** The source files behind the subpaths that package.json exports. */
export function entryPoints(): Map<string, string> {
  const { exports } = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')) as {
    exports: Record<string, string | { default: string }>;
  };
  return new Map(
    Object.entries(exports).flatMap(([subpath, target]) => {
      if (typeof target === 'string') return [];
      return [[subpath, target.default.replace('./dist/', 'src/').replace(/\.js$/, '.ts')]];
    }),
  );
}

function bare(name: string): string {
  return name.replace('type ', '');
}
