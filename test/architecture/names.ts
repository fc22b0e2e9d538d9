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
