import { folderOf, importsOf, type Source } from './sources.js';

/** Which folders a folder may import from, beside itself. `index.ts` is the main entry. */
export const ARROWS: Readonly<Record<string, readonly string[]>> = {
  protocol: [],
  server: ['protocol'],
  'index.ts': ['protocol', 'server'],
  stores: ['protocol'],
  jsonrpc: ['protocol'],
  revisions: ['protocol', 'jsonrpc'],
  eras: ['protocol', 'jsonrpc', 'revisions'],
  http: ['protocol', 'jsonrpc', 'revisions', 'eras', 'stores'],
  auth: ['protocol', 'stores', 'http'],
  stdio: ['protocol', 'jsonrpc', 'revisions', 'eras', 'stores'],
  client: ['protocol', 'jsonrpc', 'revisions', 'eras', 'stores', 'http'],
  node: ['protocol', 'jsonrpc', 'revisions', 'eras', 'stores', 'http', 'auth', 'stdio', 'client'],
  testing: ['protocol', 'jsonrpc', 'revisions', 'eras', 'stores', 'http', 'stdio'],
};

/** Imports against the arrows. Type-only imports count: a type is knowledge, too. */
export function importsAgainstArrows(sources: readonly Source[]): string[] {
  return sources.flatMap(source => {
    const folder = folderOf(source.path);
    const allowed = ARROWS[folder];
    if (!allowed) return [`${source.path}: the folder ${folder} has no place among the arrows`];
    return importsOf(source)
      .map(({ target }) => target)
      .filter(target => target.startsWith('src/'))
      .filter(target => folderOf(target) !== folder && !allowed.includes(folderOf(target)))
      .map(target => `${source.path} -> ${target}`);
  });
}

/**
 * Cycles of imports between files. Only what runs when a file is loaded counts: not `import type`, and not
 * `import()`. But `import { type X }` does, because the compiler leaves `import {}` of it.
 */
export function importCycles(sources: readonly Source[]): string[] {
  const graph = new Map(
    sources.map(source => {
      const loaded = importsOf(source).filter(({ isValue, isDynamic }) => isValue && !isDynamic);
      return [source.path, loaded.map(({ target }) => target)];
    }),
  );
  const cycles: string[] = [];
  const done = new Set<string>();
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) {
      cycles.push([...trail.slice(trail.indexOf(path)), path].join(' -> '));
      return;
    }
    if (done.has(path)) return;
    for (const target of graph.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return cycles;
}
