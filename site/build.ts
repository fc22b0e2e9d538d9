import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { type Entry, searchIndex } from './index-pages.js';
import { layOut } from './layout.js';
import { ROOT, readGroups } from './pages.js';
import { hrefOf, render } from './render.js';

/** Builds the site into a folder, which it empties first. Everything in it is relative, so that it works from a disk. */
export async function buildSite(out: string): Promise<{ pages: number; bytes: number }> {
  const groups = readGroups();
  const pages = groups.flatMap(group => group.pages);
  const groupOf = new Map(groups.flatMap(({ title, pages }) => pages.map(page => [page, title])));
  const known = new Set(pages.map(({ path }) => path));
  const entries: Entry[] = [];
  const files = new Map<string, string>();
  for (const page of pages) {
    const rendered = render(page, known);
    files.set(hrefOf(page.path), layOut(page, rendered, groups));
    // Of the pages about the project itself the headings are enough: their tables would be half of the index.
    const group = groupOf.get(page) ?? '';
    const weight = page.path === QUESTIONS ? 0.3 : (WEIGHTS[group] ?? 1);
    entries.push(
      ...rendered.entries.map(entry => ({ ...entry, weight, ...(group === 'Project' && { text: '' }) })),
    );
  }
  addQuestions(entries, pages.find(({ path }) => path === QUESTIONS)?.text ?? '');
  files.set('search-index.js', `globalThis.searchIndex = ${JSON.stringify(searchIndex(entries))};\n`);
  files.set('site.css', readFileSync(fileURLToPath(new URL('./theme/site.css', import.meta.url)), 'utf8'));
  files.set('site.js', await bundleScript());
  rmSync(out, { recursive: true, force: true });
  for (const [path, text] of files) {
    mkdirSync(dirname(join(out, path)), { recursive: true });
    writeFileSync(join(out, path), text);
  }
  cpSync(`${ROOT}/docs/pictures`, join(out, 'docs/pictures'), { recursive: true });
  return { pages: pages.length, bytes: [...files.values()].reduce((sum, text) => sum + text.length, 0) };
}

/** How much the sections of a group count in the search, if not as much as those of guides. */
const WEIGHTS: Readonly<Record<string, number>> = { Reference: 0.12, Project: 0.04 };
/** The page that leads from questions to sections. */
const QUESTIONS = 'docs/README.md';

/** Adds to each section the questions that it answers. */
function addQuestions(entries: readonly Entry[], text: string): void {
  for (const [, question, answer = ''] of text.matchAll(/^\| (.*?) +\| (.*) \|$/gm)) {
    for (const [, target = ''] of answer.matchAll(/\]\(([^)]*)\)/g)) {
      const [path = '', anchor] = target.split('#');
      const page = hrefOf(posix.join(posix.dirname(QUESTIONS), path));
      const entry = entries.find(({ id }) => id.startsWith(`${page}#${anchor ?? ''}`));
      if (entry) entry.questions = `${entry.questions ?? ''} ${question}`;
    }
  }
}

async function bundleScript(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL('./theme/site.ts', import.meta.url))],
    bundle: true,
    minify: true,
    format: 'iife',
    target: 'es2022',
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}
