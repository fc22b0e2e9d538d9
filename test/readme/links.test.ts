import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../architecture/sources.js';
import { markdownFiles } from './blocks.js';

const pages = markdownFiles('*.md').filter(page => existsSync(join(ROOT, page)));

it('every relative link and anchor in the Markdown files leads somewhere', () => {
  expect(pages.length).toBeGreaterThan(20);
  expect(pages.flatMap(brokenLinks)).toEqual([]);
});

it('every page in docs/ can be reached from docs/README.md', () => {
  const reached = new Set(['docs/README.md']);
  for (const page of reached) for (const target of linkedPages(page)) reached.add(target);
  expect(pages.filter(page => /^docs\/[^/]+$/.test(page) && !reached.has(page))).toEqual([]);
});

function brokenLinks(page: string): string[] {
  return linksIn(page)
    .filter(link => !leadsSomewhere(page, link))
    .map(link => `${page}: ${link}`);
}

function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : targetOf(page, path);
  if (!existsSync(join(ROOT, target))) return false;
  return anchor === undefined || (target.endsWith('.md') && anchorsIn(target).has(anchor));
}

function linkedPages(page: string): string[] {
  return linksIn(page)
    .map(link => link.split('#')[0] as string)
    .filter(path => path.endsWith('.md'))
    .map(path => targetOf(page, path))
    .filter(path => existsSync(join(ROOT, path)) && statSync(join(ROOT, path)).isFile());
}

function targetOf(page: string, path: string): string {
  return relative(ROOT, join(ROOT, dirname(page), path));
}

/** The links of a page to files and anchors of this project. */
function linksIn(page: string): string[] {
  const links = [...textOf(page).matchAll(/\]\(([^()\s]+(?:\([^()\s]*\)[^()\s]*)*)\)/g)];
  return links.map(([, link]) => link as string).filter(link => !/^[a-z][a-z\d+.-]*:/i.test(link));
}

/** The anchors of the headings of a page, as GitHub makes them. */
function anchorsIn(page: string): Set<string> {
  const seen = new Map<string, number>();
  const headings = [...textOf(page, false).matchAll(/^#{1,6} (.+)$/gm)];
  return new Set(
    headings.map(([, heading]) => {
      const slug = toSlug(heading as string);
      const count = seen.get(slug) ?? 0;
      seen.set(slug, count + 1);
      return count === 0 ? slug : `${slug}-${count}`;
    }),
  );
}

function toSlug(heading: string): string {
  const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-');
}

/** The text of a page without its code, in which brackets mean something else. */
function textOf(page: string, withoutInline = true): string {
  const text = readFileSync(join(ROOT, page), 'utf8').replaceAll(/^ *```.*?^ *```$/gms, '');
  return withoutInline ? text.replaceAll(/`[^`\n]*`/g, '') : text;
}
