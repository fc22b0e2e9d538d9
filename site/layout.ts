import { posix } from 'node:path';
import { escapeHtml } from './highlight.js';
import type { Group, Page } from './pages.js';
import { hrefOf, type Rendered } from './render.js';

/** A whole page: the bar with the search, the list of pages, the text, and its headings. */
export function layOut(page: Page, { html, headings }: Rendered, groups: readonly Group[]): string {
  const from = posix.dirname(hrefOf(page.path));
  const to = (target: string) => posix.relative(from, target) || posix.basename(target);
  const root = posix.relative(from, '.') || '.';
  const isHome = page.path === 'README.md';
  return `<!doctype html>
<html lang="en" data-root="${root}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${escapeHtml(page.summary)}">
<title>${escapeHtml(isHome ? 'Tenon' : `${page.title} · Tenon`)}</title>
<link rel="icon" href="data:image/svg+xml,${ICON}">
<link rel="stylesheet" href="${to('site.css')}">
<script src="${to('site.js')}" defer></script>
</head>
<body>
<a class="skip" href="#text">Skip to the text</a>
<header>
<button type="button" id="menu" aria-expanded="false" aria-controls="pages" aria-label="Pages">☰</button>
<a class="name" href="${to('index.html')}">Tenon</a>
<search>
<input type="search" id="query" placeholder="Search" aria-label="Search the documentation" autocomplete="off" role="combobox" aria-expanded="false" aria-controls="results" aria-autocomplete="list">
<ul id="results" role="listbox" aria-label="Results" hidden></ul>
</search>
<button type="button" id="theme" aria-label="Light or dark">◐</button>
</header>
<nav id="pages" aria-label="Pages">${groups.map(group => listGroup(group, page, to)).join('')}</nav>
<main id="text">
${html}</main>
<aside aria-label="On this page">${listHeadings(headings)}</aside>
</body>
</html>
`;
}

const ICON = encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="#a8481a" d="M2 2h12v5h-4v7H6V7H2z"/></svg>',
);

function listGroup({ title, pages }: Group, current: Page, to: (target: string) => string): string {
  const shown = pages.filter(({ path }) => !/decisions\/\d/.test(path) || path === current.path);
  const items = shown.map(page => {
    const mark = page === current ? ' aria-current="page"' : '';
    const name = page.path === 'README.md' ? 'Overview' : page.title;
    return `<li><a href="${to(hrefOf(page.path))}"${mark}>${escapeHtml(name)}</a></li>`;
  });
  return `<section><h2>${title}</h2><ul>${items.join('')}</ul></section>`;
}

function listHeadings(headings: Rendered['headings']): string {
  if (headings.length < 2) return '';
  const items = headings.map(({ id, text }) => `<li><a href="#${id}">${escapeHtml(text)}</a></li>`);
  return `<h2>On this page</h2><ul>${items.join('')}</ul>`;
}
