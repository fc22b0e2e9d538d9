import { posix } from 'node:path';
import { Marked, type RendererObject, type Tokens } from 'marked';
import { escapeHtml, highlight } from './highlight.js';
import type { Entry } from './index-pages.js';
import type { Page } from './pages.js';

export interface Rendered {
  html: string;
  /** The headings of the second level, for the list beside the page. */
  headings: { id: string; text: string }[];
  entries: Omit<Entry, 'weight'>[];
}

/** The HTML of a page, with links between pages, anchors as on GitHub, and its sections for the search. */
export function render(page: Page, known: ReadonlySet<string>): Rendered {
  const marked = new Marked({ gfm: true, renderer: rendererFor(page, known) });
  const headings: Rendered['headings'] = [];
  const entries: Rendered['entries'] = [];
  const slugs = new Map<string, number>();
  const file = posix.basename(page.path, '.md');
  const tokens = marked.lexer(page.text);
  for (const token of tokens) {
    if (token.type === 'heading') {
      const text = plain(token.text);
      const id = slugOf(text, slugs);
      Object.assign(token, { id });
      entries.push({ id: `${hrefOf(page.path)}#${id}`, page: page.title, file, heading: text, text: '' });
      if (token.depth === 2) headings.push({ id, text });
    } else {
      const section = entries.at(-1);
      if (section) section.text += ` ${plain(token.raw)}`;
    }
  }
  return { html: marked.parser(tokens), headings, entries };
}

function rendererFor(page: Page, known: ReadonlySet<string>): RendererObject {
  return {
    heading({ tokens, depth, id }: Tokens.Heading & { id?: string }) {
      const text = this.parser.parseInline(tokens);
      const anchor = `<a class="anchor" href="#${id}" aria-label="Link to this section">#</a>`;
      return `<h${depth} id="${id}">${text}${anchor}</h${depth}>\n`;
    },
    code({ text, lang }: Tokens.Code) {
      return `<pre tabindex="0"><code>${highlight(text, lang ?? '')}</code></pre>\n`;
    },
    table({ header, rows }: Tokens.Table) {
      const cell = (tag: string) => (content: Tokens.TableCell) =>
        `<${tag}>${this.parser.parseInline(content.tokens)}</${tag}>`;
      const head = `<thead><tr>${header.map(cell('th')).join('')}</tr></thead>`;
      const body = rows.map(row => `<tr>${row.map(cell('td')).join('')}</tr>`).join('');
      return `<div class="table" tabindex="0"><table>${head}<tbody>${body}</tbody></table></div>\n`;
    },
    link({ href, tokens }: Tokens.Link) {
      const text = this.parser.parseInline(tokens);
      const target = targetOf(href, page.path, known);
      return target === undefined ? text : `<a href="${escapeHtml(target)}">${text}</a>`;
    },
    // The only tag that pages use; everything else that looks like one is text.
    html: ({ text }: Tokens.HTML | Tokens.Tag) =>
      /^(<br>|<!--.*?-->)\s*$/s.test(text) ? text : escapeHtml(text),
  };
}

/** Where a page is in the site. */
export function hrefOf(path: string): string {
  return path.replace(/(^|\/)README\.md$/, '$1index.html').replace(/\.md$/, '.html');
}

/** The address that a link has in the site; undefined if it leads to a file that the site does not have. */
function targetOf(href: string, from: string, known: ReadonlySet<string>): string | undefined {
  if (/^(https?:|#)/.test(href)) return href;
  const [path = '', anchor] = href.split('#');
  const target = posix.normalize(posix.join(posix.dirname(from), path)).replace(/\/$/, '/README.md');
  const isPicture = target.startsWith('docs/pictures/');
  if (!known.has(target) && !isPicture) return undefined;
  const relative = posix.relative(posix.dirname(hrefOf(from)), isPicture ? target : hrefOf(target));
  return anchor === undefined ? relative : `${relative}#${anchor}`;
}

function plain(text: string): string {
  return text
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[`*|]|<br>|-{3,}/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** The anchor of a heading, as GitHub makes it. */
function slugOf(text: string, taken: Map<string, number>): string {
  const slug = text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}_ -]/gu, '')
    .replaceAll(' ', '-');
  const count = taken.get(slug) ?? 0;
  taken.set(slug, count + 1);
  return count === 0 ? slug : `${slug}-${count}`;
}
