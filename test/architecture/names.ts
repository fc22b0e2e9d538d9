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

const GROUND = /^src\/(base|protocol|jsonrpc|revisions|json-schema|skills)\//;
const WINGS = {
  server: /^src\/(node\/)?server\//,
  client: /^src\/(node\/)?client\//,
};
/** An index may wrap what it exports, and `node-only.ts` stands for what only Node has. */
const FORMS = /\/(index|node-only)\.ts$/;

/** Names that two files of a wing, or a file of a wing and the common ground, export with meanings of their own. */
export function namesWithTwoMeanings(sources: readonly Source[]): string[] {
  return Object.entries(WINGS).flatMap(([wing, paths]) => {
    const files = sources.filter(({ path }) => (GROUND.test(path) || paths.test(path)) && !FORMS.test(path));
    const homes = new Map<string, string[]>();
    for (const { path, text } of files) {
      for (const name of declaredExports(text)) homes.set(name, [...(homes.get(name) ?? []), path]);
    }
    return [...homes]
      .filter(([, places]) => places.length > 1)
      .map(([name, places]) => `${name} has several meanings in the ${wing} wing: ${places.join(', ')}`);
  });
}

/** The names that a file declares and exports. Those of overloads, and of a value and its type, count once. */
function declaredExports(text: string): Set<string> {
  const declarations = text.matchAll(
    /^export (?:abstract |async |declare )*(?:function\*?|class|interface|type|const|let|enum) (\w+)/gm,
  );
  return new Set([...declarations].map(([, name]) => name as string));
}
