import type { Source } from './sources.js';

/** Names that say nothing about what is in a file or folder. */
const EMPTY_NAMES = new Set([
  'util',
  'utils',
  'helper',
  'helpers',
  'type',
  'types',
  'shared',
  'common',
  'misc',
  'lib',
]);

/** Files and folders whose name says nothing. */
export function emptyNames(sources: readonly Source[]): string[] {
  return sources
    .map(({ path }) => path)
    .filter(path =>
      path
        .replace(/\.tsx?$/, '')
        .split('/')
        .some(name => EMPTY_NAMES.has(name)),
    );
}

/** Files with a name that is not in kebab-case. */
export function oddNames(sources: readonly Source[]): string[] {
  return sources.map(({ path }) => path).filter(path => !/^[a-z0-9-]+(\/[a-z0-9-]+)*\.tsx?$/.test(path));
}

/** `export *`, which hides what is public. */
export function wildcardExports(sources: readonly Source[]): string[] {
  return sources.filter(({ text }) => /^\s*export\s+(type\s+)?\*/m.test(text)).map(({ path }) => path);
}

/** Default exports, which everybody names differently. */
export function defaultExports(sources: readonly Source[]): string[] {
  return sources
    .filter(({ text }) => /^export\s+default\b/m.test(text) || /^export\s*\{[^}]*\bas default\b/m.test(text))
    .map(({ path }) => path);
}

const GROUND = 'base|protocol|jsonrpc|revisions|json-schema|skills';
/** The parts in which a name has one meaning. The wings stand on the common ground. */
const PARTS = {
  'the server wing': new RegExp(`^src/(${GROUND}|(node/)?server)/`),
  'the client wing': new RegExp(`^src/(${GROUND}|(node/)?client)/`),
  'the command line': /^src\/cli\//,
};
/** An index may wrap what it exports, and `node-only.ts` stands for what only Node has. */
const FORMS = /\/(index|node-only)\.ts$/;

/** Names that several files of a part declare and export. */
export function namesWithTwoMeanings(sources: readonly Source[]): string[] {
  return Object.entries(PARTS).flatMap(([part, paths]) => {
    const files = sources.filter(({ path }) => paths.test(path) && !FORMS.test(path));
    const homes = new Map<string, string[]>();
    for (const { path, text } of files) {
      for (const name of declaredExports(text)) homes.set(name, [...(homes.get(name) ?? []), path]);
    }
    return [...homes]
      .filter(([, places]) => places.length > 1)
      .map(([name, places]) => `${name} has several meanings in ${part}: ${places.join(', ')}`);
  });
}

/** The names that a file declares and exports. Those of overloads, and of a value and its type, count once. */
function declaredExports(text: string): Set<string> {
  const declarations = text.matchAll(
    /^export (?:abstract |async |declare )*(?:function\*?|class|interface|type|const|let|enum) (\w+)/gm,
  );
  return new Set([...declarations].map(([, name]) => name as string));
}
