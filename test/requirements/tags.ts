import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** A test that says which requirements it shows. */
export interface Tag {
  /** The full ids of requirements. */
  covers: string[];
  /** The path of the test's file, such as `test/http/sessions.test.ts`. */
  file: string;
  /** The names of the groups around the test, and its own, such as `a session › is bound to its user`. */
  test: string;
}

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The beginning of a test or of a group of tests. */
const START = /^\s*(?:it|test|describe)(?:\.\w+)*/;

/** The tags of all tests, by file. */
export async function readTags(): Promise<Tag[]> {
  const lists = await Promise.all(['src', 'test'].map(listTests));
  const tags = await Promise.all(
    lists.flat().map(async file => tagsOf(file, await readFile(`${ROOT}/${file}`, 'utf8'))),
  );
  return tags.flat();
}

/** The tags of one file: lines of `// covers:` directly above a test or a group of tests. */
export function tagsOf(file: string, text: string): Tag[] {
  return [...text.matchAll(/(?:^[ \t]*\/\/ covers:.*\n)+/gm)].map(({ 0: lines, index }) => ({
    covers: [...lines.matchAll(/[^\s,]+/g)]
      .map(([word]) => word)
      .filter(word => word !== '//' && word !== 'covers:'),
    file,
    test: [
      ...groupsAround(text.slice(0, index), lines.search(/\S/)),
      nameOfTest(text.slice(index + lines.length), `${file}: ${lines.trim()}`),
    ].join(' › '),
  }));
}

async function listTests(folder: string): Promise<string[]> {
  const paths = await readdir(`${ROOT}/${folder}`, { recursive: true });
  return paths
    .map(path => `${folder}/${path.replaceAll('\\', '/')}`)
    .filter(path => path.endsWith('.test.ts') && !path.includes('/node_modules/'))
    .sort();
}

/** The names of the groups that are open at the end of a text: the formatter sees to the indentation. */
function groupsAround(before: string, indentation: number): string[] {
  const names: string[] = [];
  let limit = indentation;
  for (const { index, 1: spaces = '' } of [...before.matchAll(/^( *)describe\b/gm)].reverse()) {
    if (spaces.length >= limit) continue;
    limit = spaces.length;
    names.unshift(nameIn(before.slice(index)) ?? '…');
  }
  return names;
}

/** The name of the test that a text begins with, as it is written. */
function nameOfTest(text: string, tag: string): string {
  if (!START.test(text)) throw new Error(`no test follows directly on the tag ${tag}`);
  const name = nameIn(text);
  if (name === undefined) throw new Error(`the test after this tag has no name in quotes: ${tag}`);
  return name;
}

/** The name of a test or a group, if it is in quotes. */
function nameIn(text: string): string | undefined {
  const [start = ''] = START.exec(text) ?? [];
  let rest = text.slice(start.length);
  // The rows of `it.each(rows)(name)`, and of the template after `it.each`.
  if (/\.(?:each|for|runIf|skipIf)$/.test(start)) rest = afterArgument(rest);
  return /^\(\s*(['"`])((?:\\.|(?!\1)[^\\])*)\1/s.exec(rest)?.[2]?.replace(/\\(['"`])/g, '$1');
}

/** The text after a template, or after an argument in parentheses and its type arguments. */
function afterArgument(text: string): string {
  let depth = 0;
  const tokens = /(['"`])(?:\\.|(?!\1)[^\\])*\1|\/\/[^\n]*|[([{]|[)\]}]/gs;
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (/^[([{]$/.test(token)) depth++;
    else if (/^[)\]}]$/.test(token)) depth--;
    else if (depth > 0 || !token.startsWith('`')) continue;
    const rest = text.slice(index + token.length);
    // Brackets in type arguments are followed by something else.
    if (depth === 0 && rest.startsWith('(')) return rest;
  }
  return '';
}
